package settings

import "github.com/malotehq/malote/internal/dashboard/lang"

// API keys.
var (
	keysTitle     = lang.Text{EN: "API keys", PT: "Chaves de API"}
	keysCaption   = lang.Text{EN: "API keys, the oldest first", PT: "Chaves de API, as mais antigas primeiro"}
	keysAdvice    = lang.Text{EN: "What programs call the API with. One that was given as MALOTE_ADMIN_KEY is not listed.", PT: "Com o que os programas chamam a API. Uma que foi dada como MALOTE_ADMIN_KEY não aparece aqui."}
	scopeText     = lang.Text{EN: "May do", PT: "Pode"}
	allTenants    = lang.Text{EN: "all", PT: "todos"}
	worksText     = lang.Text{EN: "Works", PT: "Vale"}
	revokedText   = lang.Text{EN: "Revoked", PT: "Revogada"}
	noKeysTitle   = lang.Text{EN: "There are no keys here", PT: "Não há chaves aqui"}
	noKeysAdvice  = lang.Text{EN: "Create one for each program, so that each can be revoked alone.", PT: "Crie uma para cada programa, para que cada uma possa ser revogada sozinha."}
	newKeyText    = lang.Text{EN: "Create a key", PT: "Criar uma chave"}
	newKeyTitle   = lang.Text{EN: "Create an API key", PT: "Criar uma chave de API"}
	keyTenantHelp = lang.Text{EN: "Whose key it is. Left empty for a key that may do everything.", PT: "De quem é a chave. Vazio para uma chave que pode tudo."}
	keyNameHelp   = lang.Text{EN: "For yourself, to know later what the key was for.", PT: "Para você saber, mais tarde, para que era a chave."}
	madeKeyTitle  = lang.Text{EN: "New API key", PT: "Nova chave de API"}
	keyOnceText   = lang.Text{EN: "It is shown this once: only its hash is stored, and nobody can see it again. Put it where the program keeps its secrets.", PT: "Ela é mostrada só desta vez: só o hash é guardado, e ninguém pode vê-la de novo. Ponha-a onde o programa guarda seus segredos."}
	keyShownText  = lang.Text{EN: "The key was shown already, and cannot be shown again. If it got lost, revoke it and create another.", PT: "A chave já foi mostrada e não pode ser mostrada de novo. Se ela se perdeu, revogue-a e crie outra."}
	revokeText    = lang.Text{EN: "Revoke", PT: "Revogar"}
	revokeTitle   = lang.Text{EN: "Revoke this key?", PT: "Revogar esta chave?"}
	revokeAdvice  = lang.Text{EN: "It stops working within 5 seconds, for good. Programs that still use it are refused.", PT: "Ela deixa de valer em até 5 segundos, de vez. Programas que ainda a usam são recusados."}
	revokedNotice = lang.Text{EN: "The key is revoked.", PT: "A chave foi revogada."}
	unnamedText   = lang.Text{EN: "without a name", PT: "sem nome"}
)

// scopeWords are short; scopeChoices explain.
var (
	scopeWords = lang.Words{
		"admin":   {EN: "Everything", PT: "Tudo"},
		"tenant":  {EN: "All of its tenant", PT: "Tudo do seu tenant"},
		"publish": {EN: "Publish", PT: "Publicar"},
		"read":    {EN: "Read", PT: "Ler"},
	}
	scopeChoices = lang.Words{
		"admin":   {EN: "Everything, of all tenants", PT: "Tudo, de todos os tenants"},
		"tenant":  {EN: "Everything of one tenant", PT: "Tudo de um tenant"},
		"publish": {EN: "Only publish events of one tenant", PT: "Só publicar eventos de um tenant"},
		"read":    {EN: "Only read what is one tenant's", PT: "Só ler o que é de um tenant"},
	}
)

// Tenants.
var (
	tenantsTitle      = lang.Text{EN: "Tenants", PT: "Tenants"}
	tenantsCaption    = lang.Text{EN: "Tenants by id", PT: "Tenants por id"}
	tenantsAdvice     = lang.Text{EN: "Whose endpoints, events and keys they are.", PT: "De quem são os endpoints, eventos e chaves."}
	priorityText      = lang.Text{EN: "Priority", PT: "Prioridade"}
	priorityHelp      = lang.Text{EN: "0 to 99. While capacity is short, each endpoint of a tenant with priority p gets p + 1 deliveries for every one of an endpoint with priority 0.", PT: "De 0 a 99. Quando falta capacidade, cada endpoint de um tenant com prioridade p recebe p + 1 entregas para cada uma de um endpoint com prioridade 0."}
	alertsText        = lang.Text{EN: "Alerts to", PT: "Alertas para"}
	alertsHelp        = lang.Text{EN: "Up to 5 e-mail addresses, one a line: who is mailed when deliveries are dead. Needs an SMTP server.", PT: "Até 5 endereços de e-mail, um por linha: quem recebe aviso quando há entregas mortas. Requer um servidor SMTP."}
	contactText       = lang.Text{EN: "Technical contact", PT: "Contato técnico"}
	contactHelp       = lang.Text{EN: "E-mail address of who is mailed when endpoints fail for days or are disabled.", PT: "Endereço de e-mail de quem recebe aviso quando endpoints falham por dias ou são desativados."}
	tenantIDHelp      = lang.Text{EN: "Your own name for the tenant: letters, digits, _, . and -. It never changes.", PT: "O seu próprio nome para o tenant: letras, dígitos, _, . e -. Nunca muda."}
	tenantNameHelp    = lang.Text{EN: "For people.", PT: "Para pessoas."}
	noTenantsTitle    = lang.Text{EN: "There are no tenants here", PT: "Não há tenants aqui"}
	noTenantsAdvice   = lang.Text{EN: "Create one: all endpoints, events and keys belong to a tenant.", PT: "Crie um: todos os endpoints, eventos e chaves pertencem a um tenant."}
	newTenantText     = lang.Text{EN: "Create a tenant", PT: "Criar um tenant"}
	newTenantTitle    = lang.Text{EN: "Create a tenant", PT: "Criar um tenant"}
	tenantMadeText    = lang.Text{EN: "The tenant %s is created.", PT: "O tenant %s foi criado."}
	tenantChangedText = lang.Text{EN: "The tenant is changed.", PT: "O tenant foi alterado."}
	tenantDeleteTitle = lang.Text{EN: "Delete this tenant?", PT: "Excluir este tenant?"}
	tenantDeleteText  = lang.Text{EN: "It must have no endpoints or sources any more. Its keys stop working within 5 seconds. This cannot be undone.", PT: "Ele não pode mais ter endpoints nem origens. Suas chaves deixam de valer em até 5 segundos. Isso não pode ser desfeito."}
	tenantDeletedText = lang.Text{EN: "The tenant %s is deleted.", PT: "O tenant %s foi excluído."}
	ownTenantText     = lang.Text{EN: "This tenant is Malote itself: its endpoints are where alerts go. It cannot be deleted.", PT: "Este tenant é o próprio Malote: seus endpoints são para onde vão os alertas. Não pode ser excluído."}
	settingsTitle     = lang.Text{EN: "Change", PT: "Alterar"}
	whatIsTheirsTitle = lang.Text{EN: "What is theirs", PT: "O que é dele"}
	deliveriesText    = lang.Text{EN: "Deliveries", PT: "Entregas"}
	eventsText        = lang.Text{EN: "Events", PT: "Eventos"}
	endpointsText     = lang.Text{EN: "Endpoints", PT: "Endpoints"}
	tenantChangesText = lang.Text{EN: "What was changed", PT: "O que foi alterado"}
)

// What this Malote is.
var (
	aboutTitle    = lang.Text{EN: "About", PT: "Sobre"}
	processTitle  = lang.Text{EN: "This process", PT: "Este processo"}
	databaseTitle = lang.Text{EN: "Database", PT: "Banco de dados"}
	versionText   = lang.Text{EN: "Version", PT: "Versão"}
	rolesText     = lang.Text{EN: "Does", PT: "Faz"}
	processesText = lang.Text{EN: "Processes at work", PT: "Processos trabalhando"}
	publicText    = lang.Text{EN: "Public address", PT: "Endereço público"}
	unknownText   = lang.Text{EN: "not known: give it as --public-url", PT: "desconhecido: informe com --public-url"}
	mailText      = lang.Text{EN: "E-mail", PT: "E-mail"}
	canMailText   = lang.Text{EN: "an SMTP server is configured", PT: "há um servidor SMTP configurado"}
	noMailText    = lang.Text{EN: "no SMTP server is configured", PT: "nenhum servidor SMTP configurado"}
	retentionText = lang.Text{EN: "Kept for", PT: "Guardado por"}
	retentionHelp = lang.Text{EN: "What is open or dead stays longer.", PT: "O que está aberto ou morto fica mais tempo."}
	largestText   = lang.Text{EN: "Largest event", PT: "Maior evento"}
	postgresText  = lang.Text{EN: "PostgreSQL", PT: "PostgreSQL"}
	schemaText    = lang.Text{EN: "Schema", PT: "Esquema"}
	privateText   = lang.Text{EN: "private: this Malote runs it", PT: "privado: este Malote o executa"}
	yoursText     = lang.Text{EN: "your own", PT: "seu próprio"}
	serverText    = lang.Text{EN: "Server", PT: "Servidor"}
	doctorAdvice  = lang.Text{EN: "To learn what is wrong and how to put it right, run on the machine itself:", PT: "Para saber o que está errado e como corrigir, execute na própria máquina:"}
	docsText      = lang.Text{EN: "Documentation of the API", PT: "Documentação da API"}
)

var processRoles = lang.Words{
	"api":       {EN: "answers the API", PT: "responde à API"},
	"ingest":    {EN: "receives webhooks", PT: "recebe webhooks"},
	"worker":    {EN: "delivers", PT: "entrega"},
	"relay":     {EN: "carries outboxes", PT: "leva outboxes"},
	"dashboard": {EN: "shows these pages", PT: "mostra estas páginas"},
}
