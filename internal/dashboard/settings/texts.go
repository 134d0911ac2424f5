package settings

import "github.com/malotehq/malote/internal/dashboard/lang"

// What several pages say.
var (
	title       = lang.Text{EN: "Settings", PT: "Configurações"}
	tabsText    = lang.Text{EN: "Parts of the settings", PT: "Partes das configurações"}
	anyText     = lang.Text{EN: "Any", PT: "Qualquer"}
	filterText  = lang.Text{EN: "Filter", PT: "Filtrar"}
	clearText   = lang.Text{EN: "Clear", PT: "Limpar"}
	filtersText = lang.Text{EN: "Filters", PT: "Filtros"}
	sinceText   = lang.Text{EN: "From", PT: "De"}
	untilText   = lang.Text{EN: "Until", PT: "Até"}
	tenantText  = lang.Text{EN: "Tenant", PT: "Tenant"}
	nameText    = lang.Text{EN: "Name", PT: "Nome"}
	createdText = lang.Text{EN: "Created", PT: "Criação"}
	idText      = lang.Text{EN: "Id", PT: "Id"}
	stateText   = lang.Text{EN: "State", PT: "Estado"}
	actionsText = lang.Text{EN: "Actions", PT: "Ações"}
	backText    = lang.Text{EN: "Back to the list", PT: "Voltar à lista"}
	saveText    = lang.Text{EN: "Save", PT: "Salvar"}
	deleteText  = lang.Text{EN: "Delete", PT: "Excluir"}
	onceTitle   = lang.Text{EN: "Copy it now", PT: "Copie agora"}
)

// Users.
var (
	usersTitle   = lang.Text{EN: "Users", PT: "Usuários"}
	usersCaption = lang.Text{EN: "Who may open this dashboard", PT: "Quem pode abrir este painel"}
	usersAdvice  = lang.Text{EN: "Who may open this dashboard. Programs use API keys instead.", PT: "Quem pode abrir este painel. Programas usam chaves de API."}
	roleText     = lang.Text{EN: "Role", PT: "Papel"}
	seenText     = lang.Text{EN: "Last log-in", PT: "Último acesso"}
	neverText    = lang.Text{EN: "never", PT: "nunca"}
	youText      = lang.Text{EN: "you", PT: "você"}
	noneTitle    = lang.Text{EN: "Nobody else is here", PT: "Não há mais ninguém aqui"}
	noneAdvice   = lang.Text{EN: "These are all users.", PT: "Estes são todos os usuários."}

	inviteText   = lang.Text{EN: "Invite somebody", PT: "Convidar alguém"}
	inviteTitle  = lang.Text{EN: "Invite a user", PT: "Convidar um usuário"}
	inviteAdvice = lang.Text{EN: "You get a link that works once, for 24 hours. Hand it to the person: they choose a password with it.", PT: "Você recebe um link que funciona uma vez, por 24 horas. Entregue-o à pessoa: com ele, ela escolhe uma senha."}
	makeLinkText = lang.Text{EN: "Create the link", PT: "Criar o link"}
	userNameHelp = lang.Text{EN: "An e-mail address is good. It is what the person logs in with.", PT: "Um endereço de e-mail é uma boa escolha. É com ele que a pessoa entra."}

	linkTitle     = lang.Text{EN: "One-time link", PT: "Link de uso único"}
	linkForText   = lang.Text{EN: "For %s", PT: "Para %s"}
	linkOnceText  = lang.Text{EN: "It is shown this once. Whoever opens it sets the password of this user, so hand it to nobody else. It works once, for %s.", PT: "Ele é mostrado só desta vez. Quem o abrir define a senha deste usuário, então não o entregue a mais ninguém. Funciona uma vez, por %s."}
	linkShownText = lang.Text{EN: "The link was shown already, and cannot be shown again. If it got lost, make a new one on the page of the user.", PT: "O link já foi mostrado e não pode ser mostrado de novo. Se ele se perdeu, crie outro na página do usuário."}
	toUserText    = lang.Text{EN: "To the user", PT: "Ir para o usuário"}
)

// One user.
var (
	accessTitle    = lang.Text{EN: "Access", PT: "Acesso"}
	factsTitle     = lang.Text{EN: "Facts", PT: "Dados"}
	passwordText   = lang.Text{EN: "Password set", PT: "Senha definida"}
	externalText   = lang.Text{EN: "Logs in by", PT: "Entra por"}
	providerText   = lang.Text{EN: "an identity provider", PT: "um provedor de identidade"}
	ownText        = lang.Text{EN: "a password", PT: "uma senha"}
	changesText    = lang.Text{EN: "What this user changed", PT: "O que este usuário alterou"}
	changesOfText  = lang.Text{EN: "What was changed about this user", PT: "O que foi alterado neste usuário"}
	lastAdminText  = lang.Text{EN: "This is the last administrator who can log in. Nobody could let others in if this role were taken away, or the user disabled or deleted. Make somebody else an administrator first, who has set a password.", PT: "Esta é a última pessoa administradora que pode entrar. Ninguém poderia admitir outras se este papel fosse retirado, ou o usuário desativado ou excluído. Antes, dê a administração a outra pessoa que já tenha definido uma senha."}
	invitedAdvice  = lang.Text{EN: "This user has not set a password yet. Links work for 24 hours: if it ran out, make a new one.", PT: "Este usuário ainda não definiu uma senha. Links funcionam por 24 horas: se expirou, crie outro."}
	disabledAdvice = lang.Text{EN: "This user cannot log in.", PT: "Este usuário não pode entrar."}
	unsureText     = lang.Text{EN: "Nothing was done: confirm that you mean your own account.", PT: "Nada foi feito: confirme que se trata da sua própria conta."}

	changeRoleText  = lang.Text{EN: "Change the role", PT: "Trocar o papel"}
	changeRoleTitle = lang.Text{EN: "Change the role?", PT: "Trocar o papel?"}
	roleChangedText = lang.Text{EN: "The role of %s is changed.", PT: "O papel de %s foi trocado."}
	newLinkText     = lang.Text{EN: "New link", PT: "Novo link"}
	newLinkTitle    = lang.Text{EN: "Make a new one-time link?", PT: "Criar um novo link de uso único?"}
	newLinkAdvice   = lang.Text{EN: "Links from before stop working at once. A password from before works until the new link is used; then all sessions of this user end.", PT: "Links anteriores deixam de funcionar imediatamente. A senha anterior vale até o novo link ser usado; então todas as sessões deste usuário terminam."}
	disableText     = lang.Text{EN: "Disable", PT: "Desativar"}
	disableTitle    = lang.Text{EN: "Disable this user?", PT: "Desativar este usuário?"}
	disableAdvice   = lang.Text{EN: "The user is logged out everywhere at once, and cannot log in until enabled again.", PT: "O usuário é desconectado de todos os lugares imediatamente, e não pode entrar até ser reativado."}
	disabledText    = lang.Text{EN: "%s is disabled.", PT: "%s foi desativado."}
	enableText      = lang.Text{EN: "Enable", PT: "Ativar"}
	enabledText     = lang.Text{EN: "%s may log in again.", PT: "%s pode entrar de novo."}
	deleteTitle     = lang.Text{EN: "Delete this user?", PT: "Excluir este usuário?"}
	deleteAdvice    = lang.Text{EN: "The user is logged out at once. What the user did stays in the audit log. This cannot be undone.", PT: "O usuário é desconectado imediatamente. O que ele fez permanece na auditoria. Isso não pode ser desfeito."}
	deletedText     = lang.Text{EN: "%s is deleted.", PT: "%s foi excluído."}
	selfText        = lang.Text{EN: "This is my own account: I shall not be able to come back to these pages.", PT: "Esta é a minha própria conta: não poderei voltar a estas páginas."}
	selfRoleText    = lang.Text{EN: "This is my own account: with any other role than administrator I shall not be able to come back to these pages.", PT: "Esta é a minha própria conta: com qualquer papel que não seja o de administração não poderei voltar a estas páginas."}
)

var stateWords = lang.Words{
	"active":   {EN: "Active", PT: "Ativo"},
	"invited":  {EN: "Invited", PT: "Convidado"},
	"disabled": {EN: "Disabled", PT: "Desativado"},
}

// roleChoices says what each role may do.
var roleChoices = lang.Words{
	"viewer":  {EN: "Viewer: sees everything, changes nothing", PT: "Leitura: vê tudo, não altera nada"},
	"support": {EN: "Support: also replays, resolves and pauses", PT: "Suporte: também reenvia, resolve e pausa"},
	"admin":   {EN: "Administrator: also sets up, and lets others in", PT: "Administração: também configura e admite outras pessoas"},
}
