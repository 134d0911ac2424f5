package settings

import "github.com/malotehq/malote/internal/dashboard/lang"

// The audit log.
var (
	auditTitle    = lang.Text{EN: "Audit log", PT: "Auditoria"}
	auditCaption  = lang.Text{EN: "Who changed what, the newest first", PT: "Quem alterou o quê, do mais novo ao mais antigo"}
	auditAdvice   = lang.Text{EN: "One line for each thing that a request changed. Publishing is not here: events are their own record. Lines are kept for 400 days.", PT: "Uma linha para cada coisa que um pedido alterou. Publicações não estão aqui: os eventos são seu próprio registro. As linhas ficam por 400 dias."}
	whenText      = lang.Text{EN: "When", PT: "Quando"}
	whoText       = lang.Text{EN: "Who", PT: "Quem"}
	fromText      = lang.Text{EN: "Address", PT: "Endereço"}
	whatText      = lang.Text{EN: "What", PT: "O quê"}
	thingText     = lang.Text{EN: "On what", PT: "Em quê"}
	detailText    = lang.Text{EN: "Detail", PT: "Detalhe"}
	actorText     = lang.Text{EN: "Id of who did it", PT: "Id de quem fez"}
	actorKindText = lang.Text{EN: "Kind of who did it", PT: "Tipo de quem fez"}
	subjectText   = lang.Text{EN: "Id of what was changed", PT: "Id do que foi alterado"}
	onlyText      = lang.Text{EN: "Only what %s did", PT: "Só o que %s fez"}
	noRowsTitle   = lang.Text{EN: "Nothing was changed", PT: "Nada foi alterado"}
	noRowsAdvice  = lang.Text{EN: "There is nothing in the log that matches the filters.", PT: "Não há nada na auditoria que corresponda aos filtros."}
	noMoreAdvice  = lang.Text{EN: "Nothing here matches; further back there may be more.", PT: "Nada aqui corresponde; mais atrás pode haver mais."}
)

var actorWords = lang.Words{
	"user":      {EN: "User", PT: "Usuário"},
	"api_key":   {EN: "API key", PT: "Chave de API"},
	"admin_key": {EN: "The server's admin key", PT: "Chave de administração do servidor"},
	"portal":    {EN: "Customer in the portal", PT: "Cliente no portal"},
	"database":  {EN: "Command line, in the database", PT: "Linha de comando, no banco de dados"},
}

// OperationWords says what each of the API's operations that leave rows did.
var OperationWords = lang.Words{
	"create-tenant": {EN: "Created a tenant", PT: "Criou um tenant"},
	"update-tenant": {EN: "Changed a tenant", PT: "Alterou um tenant"},
	"delete-tenant": {EN: "Deleted a tenant", PT: "Excluiu um tenant"},

	"create-key": {EN: "Created an API key", PT: "Criou uma chave de API"},
	"revoke-key": {EN: "Revoked an API key", PT: "Revogou uma chave de API"},

	"create-user":     {EN: "Invited a user", PT: "Convidou um usuário"},
	"update-user":     {EN: "Changed a user's role", PT: "Trocou o papel de um usuário"},
	"disable-user":    {EN: "Disabled a user", PT: "Desativou um usuário"},
	"enable-user":     {EN: "Enabled a user", PT: "Ativou um usuário"},
	"renew-user-link": {EN: "Made a user a new link", PT: "Criou um novo link para um usuário"},
	"delete-user":     {EN: "Deleted a user", PT: "Excluiu um usuário"},

	"create-webhook-endpoint":  {EN: "Created an endpoint", PT: "Criou um endpoint"},
	"update-webhook-endpoint":  {EN: "Changed an endpoint", PT: "Alterou um endpoint"},
	"delete-webhook-endpoint":  {EN: "Deleted an endpoint", PT: "Excluiu um endpoint"},
	"enable-webhook-endpoint":  {EN: "Enabled an endpoint", PT: "Ativou um endpoint"},
	"disable-webhook-endpoint": {EN: "Disabled an endpoint", PT: "Desativou um endpoint"},
	"pause-webhook-endpoint":   {EN: "Paused an endpoint", PT: "Pausou um endpoint"},
	"resume-webhook-endpoint":  {EN: "Resumed an endpoint", PT: "Retomou um endpoint"},
	"test-webhook-endpoint":    {EN: "Tested an endpoint", PT: "Testou um endpoint"},
	"discard-webhook-endpoint": {EN: "Discarded what was pending", PT: "Descartou o que estava pendente"},
	"recover-webhook-endpoint": {EN: "Started a recovery", PT: "Iniciou uma recuperação"},
	"cancel-recovery":          {EN: "Cancelled a recovery", PT: "Cancelou uma recuperação"},

	"add-secret":    {EN: "Added a signing secret", PT: "Adicionou um segredo de assinatura"},
	"rotate-secret": {EN: "Rotated a signing secret", PT: "Rotacionou um segredo de assinatura"},
	"revoke-secret": {EN: "Revoked a signing secret", PT: "Revogou um segredo de assinatura"},

	"replay-webhook-delivery":    {EN: "Replayed a delivery", PT: "Reenviou uma entrega"},
	"replay-webhook-deliveries":  {EN: "Replayed several deliveries", PT: "Reenviou várias entregas"},
	"resolve-webhook-deliveries": {EN: "Resolved dead deliveries", PT: "Resolveu entregas mortas"},
	"resolve-webhook-delivery":   {EN: "Resolved a dead delivery", PT: "Resolveu uma entrega morta"},

	"make-portal-link": {EN: "Made a link to a portal", PT: "Criou um link para um portal"},

	"create-policy": {EN: "Created a policy", PT: "Criou uma política"},

	"create-source":        {EN: "Created a source", PT: "Criou uma origem"},
	"update-source":        {EN: "Changed a source", PT: "Alterou uma origem"},
	"delete-source":        {EN: "Deleted a source", PT: "Excluiu uma origem"},
	"pause-source":         {EN: "Paused a source", PT: "Pausou uma origem"},
	"resume-source":        {EN: "Resumed a source", PT: "Retomou uma origem"},
	"repair-source-gaps":   {EN: "Brought in what a source missed", PT: "Trouxe o que faltou em uma origem"},
	"add-source-secret":    {EN: "Added a source's secret", PT: "Adicionou o segredo de uma origem"},
	"rotate-source-secret": {EN: "Rotated a source's secret", PT: "Rotacionou o segredo de uma origem"},
	"revoke-source-secret": {EN: "Revoked a source's secret", PT: "Revogou o segredo de uma origem"},
}
