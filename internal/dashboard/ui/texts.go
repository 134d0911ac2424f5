package ui

import "github.com/malotehq/malote/internal/dashboard/lang"

// The frame's texts.
var (
	skipText       = lang.Text{EN: "Skip to content", PT: "Ir para o conteúdo"}
	findText       = lang.Text{EN: "Find by id, key or address", PT: "Buscar por id, chave ou endereço"}
	accountText    = lang.Text{EN: "Your account", PT: "Sua conta"}
	logOutText     = lang.Text{EN: "Log out", PT: "Sair"}
	displayText    = lang.Text{EN: "Display", PT: "Exibição"}
	leaveText      = lang.Text{EN: "Leave", PT: "Sair"}
	themeText      = lang.Text{EN: "Colours", PT: "Cores"}
	languageText   = lang.Text{EN: "Language", PT: "Idioma"}
	navigationText = lang.Text{EN: "Pages", PT: "Páginas"}
	observeText    = lang.Text{EN: "Observe", PT: "Observar"}
	workText       = lang.Text{EN: "Work", PT: "Tratar"}
	setUpText      = lang.Text{EN: "Set up", PT: "Configurar"}

	themeWords = lang.Words{
		"auto":  {EN: "System", PT: "Sistema"},
		"light": {EN: "Light", PT: "Claro"},
		"dark":  {EN: "Dark", PT: "Escuro"},
	}
)

// What scripts write.
var (
	copiedText        = lang.Text{EN: "Copied", PT: "Copiado"}
	liveText          = lang.Text{EN: "Live", PT: "Ao vivo"}
	lostText          = lang.Text{EN: "Not live: connecting again", PT: "Sem atualização: reconectando"}
	requestFailedText = lang.Text{EN: "That did not work. Load the page again.", PT: "Não deu certo. Recarregue a página."}
)

// The components' texts.
var (
	copyText        = lang.Text{EN: "Copy", PT: "Copiar"}
	nextText        = lang.Text{EN: "Next", PT: "Próxima"}
	previousText    = lang.Text{EN: "Previous", PT: "Anterior"}
	firstText       = lang.Text{EN: "First page", PT: "Primeira página"}
	pagesText       = lang.Text{EN: "Pages of the list", PT: "Páginas da lista"}
	cancelText      = lang.Text{EN: "Cancel", PT: "Cancelar"}
	asTableText     = lang.Text{EN: "Show as a table", PT: "Mostrar como tabela"}
	timeText        = lang.Text{EN: "Time", PT: "Horário"}
	absentText      = lang.Text{EN: "none", PT: "nenhum"}
	pleaseCheckText = lang.Text{EN: "That was not done.", PT: "Isso não foi feito."}
)

// Bodies of events.
var (
	bodyText      = lang.Text{EN: "Body", PT: "Corpo"}
	downloadText  = lang.Text{EN: "Download the exact bytes", PT: "Baixar os bytes exatos"}
	bodyHelp      = lang.Text{EN: "Shown with line breaks for reading. The bytes that are sent and signed have not been touched.", PT: "Mostrado com quebras de linha para leitura. Os bytes enviados e assinados não foram tocados."}
	cutText       = lang.Text{EN: "Only the beginning is shown.", PT: "Só o início é mostrado."}
	binaryText    = lang.Text{EN: "These bytes are not text. Download them to look at them.", PT: "Estes bytes não são texto. Baixe-os para examiná-los."}
	emptyBodyText = lang.Text{EN: "The body is empty.", PT: "O corpo está vazio."}
)

// RoleWords names the roles.
var RoleWords = lang.Words{
	"viewer":  {EN: "Viewer", PT: "Leitura"},
	"support": {EN: "Support", PT: "Suporte"},
	"admin":   {EN: "Administrator", PT: "Administração"},
}
