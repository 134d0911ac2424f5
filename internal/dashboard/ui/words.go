package ui

import "github.com/malotehq/malote/internal/dashboard/lang"

// StateWords names the states of deliveries.
var StateWords = lang.Words{
	"pending":    {EN: "Pending", PT: "Pendente"},
	"sending":    {EN: "Sending", PT: "Enviando"},
	"delivered":  {EN: "Delivered", PT: "Entregue"},
	"dead":       {EN: "Dead", PT: "Morta"},
	"skipped":    {EN: "Skipped", PT: "Ignorada"},
	"superseded": {EN: "Superseded", PT: "Substituída"},
	"resolved":   {EN: "Resolved", PT: "Resolvida"},
	"discarded":  {EN: "Discarded", PT: "Descartada"},
}

// States lists them in the order in which lists offer them.
var States = []string{"pending", "sending", "delivered", "dead", "skipped", "superseded", "resolved", "discarded"}

// StateHelp says what each state means.
var StateHelp = lang.Words{
	"pending":    {EN: "Waits for its next attempt.", PT: "Espera a próxima tentativa."},
	"sending":    {EN: "An attempt is under way.", PT: "Há uma tentativa em andamento."},
	"delivered":  {EN: "The endpoint took it.", PT: "O endpoint a recebeu."},
	"dead":       {EN: "No further attempt will be made unless somebody replays it.", PT: "Não haverá outra tentativa, a menos que alguém a reenvie."},
	"skipped":    {EN: "It was never to be sent to this endpoint.", PT: "Não era para ser enviada a este endpoint."},
	"superseded": {EN: "A newer event about the same thing took its place.", PT: "Um evento mais novo sobre a mesma coisa tomou seu lugar."},
	"resolved":   {EN: "Somebody took it off the list of dead ones.", PT: "Alguém a tirou da lista de mortas."},
	"discarded":  {EN: "Somebody chose not to send it.", PT: "Alguém decidiu não a enviar."},
}

var stateIcons = map[string]string{
	"pending": "clock", "sending": "sending", "delivered": "check", "dead": "dead", "skipped": "skip",
	"superseded": "layers", "resolved": "resolved", "discarded": "discard",
}

// StatusWords names what endpoints are.
var StatusWords = lang.Words{
	"active":             {EN: "Active", PT: "Ativo"},
	"paused":             {EN: "Paused", PT: "Pausado"},
	"disabled_by_user":   {EN: "Disabled", PT: "Desativado"},
	"disabled_by_system": {EN: "Disabled by Malote", PT: "Desativado pelo Malote"},
}

var statusIcons = map[string]string{
	"active": "play", "paused": "pause", "disabled_by_user": "off", "disabled_by_system": "warning",
}

// DeadWords says why a delivery is dead.
var DeadWords = lang.Words{
	"attempts_exhausted": {EN: "All attempts of its policy were used up.", PT: "Todas as tentativas da política foram usadas."},
	"too_old":            {EN: "It became older than its policy goes on trying.", PT: "Ficou mais velha do que a política continua tentando."},
	"rejected":           {EN: "The endpoint answered with a status that its policy does not retry.", PT: "O endpoint respondeu com um status que a política não repete."},
	"gone":               {EN: "The endpoint said that it is gone for good (410).", PT: "O endpoint disse que deixou de existir (410)."},
	"too_large":          {EN: "The endpoint said that the body is too large (413).", PT: "O endpoint disse que o corpo é grande demais (413)."},
	"interrupted":        {EN: "A worker was lost while sending, and the endpoint takes everything at most once.", PT: "Um worker se perdeu durante o envio, e o endpoint recebe tudo no máximo uma vez."},
	"endpoint_deleted":   {EN: "Its endpoint was deleted.", PT: "Seu endpoint foi excluído."},
}

// SkipWords says why a delivery was skipped.
var SkipWords = lang.Words{
	"no_endpoint":         {EN: "The tenant has no endpoint for it.", PT: "O tenant não tem endpoint para ela."},
	"type_not_subscribed": {EN: "No endpoint subscribes to this type of event.", PT: "Nenhum endpoint assina este tipo de evento."},
	"endpoint_disabled":   {EN: "The endpoint was disabled when the event came.", PT: "O endpoint estava desativado quando o evento chegou."},
	"filtered":            {EN: "The endpoint's filter did not let it through.", PT: "O filtro do endpoint não a deixou passar."},
}

// TriggerWords says why something was put into the queue.
var TriggerWords = lang.Words{
	"schedule": {EN: "by the schedule", PT: "pela programação"},
	"replay":   {EN: "by a replay", PT: "por um reenvio"},
	"test":     {EN: "by a test", PT: "por um teste"},
	"recover":  {EN: "by a recovery", PT: "por uma recuperação"},
}

// ErrorNames names the error codes of attempts, shortly.
var ErrorNames = lang.Words{
	"timeout":            {EN: "Timeout", PT: "Tempo esgotado"},
	"dns":                {EN: "Name not found", PT: "Nome não encontrado"},
	"connect_refused":    {EN: "Connection refused", PT: "Conexão recusada"},
	"connect":            {EN: "No connection", PT: "Sem conexão"},
	"tls":                {EN: "TLS failed", PT: "Falha de TLS"},
	"reset":              {EN: "Connection lost", PT: "Conexão perdida"},
	"protocol":           {EN: "Not valid HTTP", PT: "HTTP inválido"},
	"blocked_address":    {EN: "Address not allowed", PT: "Endereço não permitido"},
	"url_not_allowed":    {EN: "URL not allowed", PT: "URL não permitida"},
	"no_secret":          {EN: "No secret", PT: "Sem segredo"},
	"http_status":        {EN: "Refused by its answer", PT: "Recusada pela resposta"},
	"response_truncated": {EN: "Answer cut off", PT: "Resposta cortada"},
	"interrupted":        {EN: "Interrupted", PT: "Interrompida"},
	"smtp_deferred":      {EN: "Mail deferred", PT: "E-mail adiado"},
	"smtp_rejected":      {EN: "Mail refused", PT: "E-mail recusado"},
	"smtp_auth":          {EN: "Mail log-in failed", PT: "Falha no acesso ao e-mail"},
}

// ErrorWords explains the error codes of attempts, and what to do.
var ErrorWords = lang.Words{
	"timeout":            {EN: "The endpoint did not answer within the deadline. It should answer first and do its work afterwards.", PT: "O endpoint não respondeu dentro do prazo. Ele deve responder primeiro e trabalhar depois."},
	"dns":                {EN: "The host name of the endpoint could not be resolved. Check its spelling and its DNS records.", PT: "O nome do host não pôde ser resolvido. Confira a grafia e os registros DNS."},
	"connect_refused":    {EN: "The endpoint refused the connection: nothing listens there. Check that its server runs, and its port.", PT: "O endpoint recusou a conexão: nada escuta ali. Confira se o servidor está no ar e a porta."},
	"connect":            {EN: "No connection to the endpoint could be made. A firewall or the network may be in the way.", PT: "Não foi possível conectar ao endpoint. Um firewall ou a rede pode estar no caminho."},
	"tls":                {EN: "The TLS certificate or handshake of the endpoint was not acceptable. Check that the certificate is valid and complete.", PT: "O certificado ou a negociação TLS do endpoint não foi aceitável. Confira se o certificado é válido e completo."},
	"reset":              {EN: "The endpoint closed the connection before its answer was complete.", PT: "O endpoint fechou a conexão antes de completar a resposta."},
	"protocol":           {EN: "What the endpoint answered was not valid HTTP.", PT: "O que o endpoint respondeu não era HTTP válido."},
	"blocked_address":    {EN: "The host name leads to an address that may not be called from here, such as a private one.", PT: "O nome do host leva a um endereço que não pode ser chamado daqui, como um privado."},
	"url_not_allowed":    {EN: "The URL of the endpoint is no longer allowed. Change it.", PT: "A URL do endpoint não é mais permitida. Altere-a."},
	"no_secret":          {EN: "The endpoint has no active secret, and nothing is ever sent unsigned. Add one.", PT: "O endpoint não tem segredo ativo, e nada é enviado sem assinatura. Adicione um."},
	"http_status":        {EN: "The endpoint answered, but with a status that is not a success.", PT: "O endpoint respondeu, mas com um status que não é de sucesso."},
	"response_truncated": {EN: "The answer broke off in the middle.", PT: "A resposta se interrompeu no meio."},
	"interrupted":        {EN: "The worker stopped between sending and recording: whether it arrived is not known.", PT: "O worker parou entre o envio e o registro: não se sabe se chegou."},
	"smtp_deferred":      {EN: "The mail server does not take the mail now. It is tried again.", PT: "O servidor de e-mail não aceita a mensagem agora. Haverá outra tentativa."},
	"smtp_rejected":      {EN: "The mail server refused the mail or its recipient for good. Check the address.", PT: "O servidor de e-mail recusou a mensagem ou o destinatário de vez. Confira o endereço."},
	"smtp_auth":          {EN: "The mail server did not take the user name and password that Malote has for it.", PT: "O servidor de e-mail não aceitou o usuário e a senha que o Malote tem para ele."},
}

// ProblemWords says what the API's refusals mean, where the visitor's language
// is not that of the API's own words.
var ProblemWords = lang.Words{
	"not_found":                       {EN: "There is nothing here, or it is not yours.", PT: "Não há nada aqui, ou não é seu."},
	"unavailable":                     {EN: "The database cannot be reached at the moment. Try again in a few seconds.", PT: "O banco de dados não pode ser alcançado no momento. Tente de novo em alguns segundos."},
	"invalid_cursor":                  {EN: "This page of the list is no longer there. Begin at its first page.", PT: "Esta página da lista não existe mais. Comece pela primeira."},
	"webhook_delivery_not_replayable": {EN: "It cannot be replayed: its state, its policy or its endpoint does not allow it.", PT: "Não pode ser reenviada: o estado, a política ou o endpoint não permite."},
	"webhook_delivery_not_resolvable": {EN: "Only dead deliveries can be resolved.", PT: "Só entregas mortas podem ser resolvidas."},
	"webhook_endpoint_disabled":       {EN: "The endpoint is disabled. Enable it first.", PT: "O endpoint está desativado. Ative-o primeiro."},
	"webhook_endpoint_busy":           {EN: "No attempt could be made in time: its slots are taken, or it is left alone after failures. The test event stays queued, ahead of all others.", PT: "Nenhuma tentativa pôde ser feita a tempo: as vagas estão ocupadas, ou o endpoint é deixado em paz após falhas. O evento de teste continua na fila, à frente de todos."},
	"webhook_endpoint_policy_changed": {EN: "Somebody changed its policy at the same time. Look again, and repeat what you did.", PT: "Alguém mudou a política ao mesmo tempo. Olhe de novo e repita o que fez."},
	"recovery_running":                {EN: "Another recovery of the endpoint is running. Stop it, or wait until it is done.", PT: "Outra recuperação do endpoint está em andamento. Pare-a, ou espere que termine."},
	"recovery_ended":                  {EN: "The recovery has ended already.", PT: "A recuperação já terminou."},
	"too_many_secrets":                {EN: "Ten secrets are live already. Revoke one first, or wait until an overlap is over.", PT: "Já há dez segredos ativos. Revogue um antes, ou espere uma sobreposição acabar."},
	"secret_exists":                   {EN: "This secret is there already. Choose another, or leave the field empty to have one made.", PT: "Este segredo já existe. Escolha outro, ou deixe o campo vazio para que um seja criado."},
	"unknown_tenant":                  {EN: "There is no such tenant.", PT: "Não existe esse tenant."},
	"user_exists":                     {EN: "There is already a user of this name, in whatever case. Choose another, or make that one a new link.", PT: "Já existe um usuário com este nome, em maiúsculas ou minúsculas. Escolha outro, ou crie um novo link para aquele."},
	"user_disabled":                   {EN: "The user is disabled, so that a link would not open. Enable the user first.", PT: "O usuário está desativado, e o link não abriria. Ative-o primeiro."},
	"last_admin":                      {EN: "This is the last administrator who can log in, and nobody could let others in. Make another one first, who has set a password.", PT: "Esta é a última pessoa administradora que pode entrar, e ninguém poderia admitir outras. Antes, dê a administração a outra que já tenha definido uma senha."},
	"tenant_exists":                   {EN: "There is already a tenant with this id. Choose another, or change that one.", PT: "Já existe um tenant com este id. Escolha outro, ou altere aquele."},
	"tenant_in_use":                   {EN: "The tenant still has endpoints or sources. Delete those first.", PT: "O tenant ainda tem endpoints ou origens. Exclua-os primeiro."},
	"tenant_busy":                     {EN: "Deliveries to the tenant's deleted endpoints are still being sent. Try again in a minute.", PT: "Entregas para endpoints excluídos do tenant ainda estão sendo enviadas. Tente de novo em um minuto."},
	"tenant_reserved":                 {EN: "The tenant malote is Malote itself. It cannot be created or deleted.", PT: "O tenant malote é o próprio Malote. Não pode ser criado nem excluído."},
	"insufficient_scope":              {EN: "Your role does not allow this.", PT: "Seu papel não permite isso."},
}
