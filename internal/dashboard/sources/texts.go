package sources

import "github.com/malotehq/malote/internal/dashboard/lang"

// The list.
var (
	title          = lang.Text{EN: "Sources", PT: "Origens"}
	listCaption    = lang.Text{EN: "Sources, the oldest first", PT: "Origens, as mais antigas primeiro"}
	nameText       = lang.Text{EN: "Name", PT: "Nome"}
	providerText   = lang.Text{EN: "Provider", PT: "Provedor"}
	tenantText     = lang.Text{EN: "Tenant", PT: "Tenant"}
	statusText     = lang.Text{EN: "Status", PT: "Situação"}
	receivedText   = lang.Text{EN: "Received", PT: "Recebidos"}
	duplicatesText = lang.Text{EN: "Duplicates", PT: "Duplicados"}
	filteredText   = lang.Text{EN: "Filtered out", PT: "Filtrados"}
	rejectedText   = lang.Text{EN: "Turned away", PT: "Recusadas"}
	secretsText    = lang.Text{EN: "Secrets", PT: "Segredos"}
	noSecretText   = lang.Text{EN: "None", PT: "Nenhum"}
	dayHelp        = lang.Text{EN: "Received, duplicates and turned away: in the last 24 hours.", PT: "Recebidos, duplicados e recusadas: nas últimas 24 horas."}
	newText        = lang.Text{EN: "New source", PT: "Nova origem"}
	filtersText    = lang.Text{EN: "Narrow the list", PT: "Restringir a lista"}
	narrowText     = lang.Text{EN: "Filter", PT: "Filtrar"}
	clearText      = lang.Text{EN: "Clear", PT: "Limpar"}
	noneTitle      = lang.Text{EN: "No sources", PT: "Nenhuma origem"}
	noneAdvice     = lang.Text{EN: "A source is an address that you give to a provider, such as Stripe or GitHub. What it sends there is verified, stored once and delivered.", PT: "Uma origem é um endereço que você dá a um provedor, como Stripe ou GitHub. O que ele envia é verificado, guardado uma vez e entregue."}

	statusWords = lang.Words{
		"active": {EN: "Active", PT: "Ativa"},
		"paused": {EN: "Paused", PT: "Pausada"},
	}
)

// One source.
var (
	addressTitle   = lang.Text{EN: "Address for the provider", PT: "Endereço para o provedor"}
	addressAdvice  = lang.Text{EN: "Enter this at %s as the address for webhooks.", PT: "Informe isto em %s como o endereço para webhooks."}
	pathAdvice     = lang.Text{EN: "Put the public address of this server before it: start Malote with --public-url, and it stands here whole.", PT: "Ponha o endereço público deste servidor antes dele: inicie o Malote com --public-url, e ele aparece inteiro aqui."}
	needsSecret    = lang.Text{EN: "No secret is set: every request is turned away with 503, so that the provider comes again. Add the one that the provider shows.", PT: "Nenhum segredo definido: toda requisição é recusada com 503, para que o provedor venha de novo. Adicione o que o provedor mostra."}
	pausedNotice   = lang.Text{EN: "Paused: every request is turned away with 503, so that the provider comes again later.", PT: "Pausada: toda requisição é recusada com 503, para que o provedor venha de novo depois."}
	chartTitle     = lang.Text{EN: "By the hour", PT: "Por hora"}
	arrivalsTitle  = lang.Text{EN: "What came in", PT: "O que chegou"}
	spanText       = lang.Text{EN: "Time shown", PT: "Período mostrado"}
	lateHelp       = lang.Text{EN: "Counted a few seconds after the request.", PT: "Contado alguns segundos depois da requisição."}
	rejectionsText = lang.Text{EN: "What was turned away, and why", PT: "O que foi recusado, e por quê"}
	rejectionsCap  = lang.Text{EN: "Requests that were turned away, the latest first", PT: "Requisições recusadas, as últimas primeiro"}
	reasonText     = lang.Text{EN: "Reason", PT: "Motivo"}
	countText      = lang.Text{EN: "Requests", PT: "Requisições"}
	lastText       = lang.Text{EN: "Last", PT: "Última"}
	meaningText    = lang.Text{EN: "What it means, and what to do", PT: "O que significa, e o que fazer"}
	noRejections   = lang.Text{EN: "Nothing was turned away in the last 30 days.", PT: "Nada foi recusado nos últimos 30 dias."}
	factsTitle     = lang.Text{EN: "Facts", PT: "Dados"}
	idFact         = lang.Text{EN: "Id", PT: "Id"}
	createdFact    = lang.Text{EN: "Created", PT: "Criada"}
	changedFact    = lang.Text{EN: "Changed", PT: "Alterada"}
	defaultText    = lang.Text{EN: "as known for the provider", PT: "como conhecido do provedor"}
	providerTitle  = lang.Text{EN: "About %s", PT: "Sobre %s"}
	providerHelp   = lang.Text{EN: "In English, as Malote's list of providers has it.", PT: "Em inglês, como está na lista de provedores do Malote."}
	signedFact     = lang.Text{EN: "Signature", PT: "Assinatura"}
	retriesFact    = lang.Text{EN: "Retries", PT: "Novas tentativas"}
	handshakeFact  = lang.Text{EN: "Handshake", PT: "Verificação"}
	gotchaFact     = lang.Text{EN: "Mind", PT: "Atenção"}
	pauseText      = lang.Text{EN: "Pause", PT: "Pausar"}
	resumeText     = lang.Text{EN: "Resume", PT: "Retomar"}
	editText       = lang.Text{EN: "Edit", PT: "Editar"}
	deleteText     = lang.Text{EN: "Delete", PT: "Excluir"}
	pauseTitle     = lang.Text{EN: "Pause this source?", PT: "Pausar esta origem?"}
	pauseAdvice    = lang.Text{EN: "Every request gets 503 until you resume it. Most providers come again for some days; some give up sooner.", PT: "Toda requisição recebe 503 até você retomá-la. A maioria dos provedores tenta de novo por alguns dias; alguns desistem antes."}
	deleteTitle    = lang.Text{EN: "Delete this source?", PT: "Excluir esta origem?"}
	deleteAdvice   = lang.Text{EN: "Its address answers 404 from now on, and its secrets are gone. The events that it brought stay. This cannot be undone.", PT: "Seu endereço passa a responder 404, e seus segredos se perdem. Os eventos que trouxe ficam. Não é possível desfazer."}
	pausedText     = lang.Text{EN: "The source is paused.", PT: "A origem está pausada."}
	resumedText    = lang.Text{EN: "The source takes requests again.", PT: "A origem recebe requisições de novo."}
	deletedText    = lang.Text{EN: "The source is deleted.", PT: "A origem foi excluída."}
	createdText    = lang.Text{EN: "The source is there. Give its address to the provider.", PT: "A origem foi criada. Dê o endereço ao provedor."}
	savedText      = lang.Text{EN: "Saved. It holds within a second.", PT: "Salvo. Vale em um segundo."}
	daysText       = lang.Count{One: lang.Text{EN: "%s day", PT: "%s dia"}, Many: lang.Text{EN: "%s days", PT: "%s dias"}}
	cancelText     = lang.Text{EN: "Cancel", PT: "Cancelar"}
)

// Secrets.
var (
	secretText     = lang.Text{EN: "Secret", PT: "Segredo"}
	secretHelp     = lang.Text{EN: "Exactly as the provider shows it. Nobody can see it again here.", PT: "Exatamente como o provedor o mostra. Ninguém poderá vê-lo de novo aqui."}
	secretLater    = lang.Text{EN: "It may come later: some providers show theirs only once they have the address.", PT: "Pode vir depois: alguns provedores só o mostram quando já têm o endereço."}
	addSecretText  = lang.Text{EN: "Add or rotate", PT: "Adicionar ou trocar"}
	addTitle       = lang.Text{EN: "Add a secret", PT: "Adicionar um segredo"}
	addText        = lang.Text{EN: "Add", PT: "Adicionar"}
	secretName     = lang.Text{EN: "Name", PT: "Nome"}
	secretNameHelp = lang.Text{EN: "Logs name it where it matched. May be empty.", PT: "Os logs o citam quando ele confere. Pode ficar vazio."}
	roleText       = lang.Text{EN: "For what", PT: "Para quê"}
	overlapText    = lang.Text{EN: "The older ones of the same use", PT: "Os mais antigos do mesmo uso"}
	secretAdded    = lang.Text{EN: "The secret is taken beside the others, within a second.", PT: "O segredo é aceito ao lado dos outros, em um segundo."}
	secretRotated  = lang.Text{EN: "The secret is taken within a second, and the older ones expire.", PT: "O segredo é aceito em um segundo, e os mais antigos expiram."}
	secretRevoked  = lang.Text{EN: "Nothing is taken any more that was signed with it.", PT: "Nada mais assinado com ele é aceito."}
	revokeText     = lang.Text{EN: "Revoke", PT: "Revogar"}
	revokeTitle    = lang.Text{EN: "Revoke this secret?", PT: "Revogar este segredo?"}
	revokeAdvice   = lang.Text{EN: "Within a second nothing is taken any more that was signed with it.", PT: "Em um segundo nada mais assinado com ele é aceito."}
	expiresText    = lang.Text{EN: "expires", PT: "expira"}
	addedText      = lang.Text{EN: "added", PT: "adicionado"}

	roleWords = lang.Words{
		"any":       {EN: "Whatever the provider signs or asks", PT: "O que o provedor assina ou pergunta"},
		"signature": {EN: "Signatures only", PT: "Só assinaturas"},
		"handshake": {EN: "The handshake only", PT: "Só a verificação"},
		"repair":    {EN: "The provider's API, to repair gaps", PT: "A API do provedor, para reparar lacunas"},
	}
	overlapWords = lang.Words{
		"keep": {EN: "stay", PT: "ficam"},
		"24h":  {EN: "expire in a day", PT: "expiram em um dia"},
		"72h":  {EN: "expire in 3 days", PT: "expiram em 3 dias"},
		"168h": {EN: "expire in a week", PT: "expiram em uma semana"},
		"0s":   {EN: "expire now", PT: "expiram agora"},
	}
)

// The repair of gaps.
var (
	repairTitle    = lang.Text{EN: "Repair of gaps", PT: "Reparo de lacunas"}
	repairAdvice   = lang.Text{EN: "Malote compares what the provider lists as sent with what came in, every few minutes, and brings in the rest, each event once. Here you can do it for a span of your own.", PT: "O Malote compara o que o provedor lista como enviado com o que chegou, a cada poucos minutos, e traz o resto, cada evento uma vez. Aqui você pode fazê-lo para um período seu."}
	needsToken     = lang.Text{EN: "It needs a key of the provider's API: add a secret for that use.", PT: "Precisa de uma chave da API do provedor: adicione um segredo para esse uso."}
	checkedFact    = lang.Text{EN: "Compared until", PT: "Comparado até"}
	foundFact      = lang.Text{EN: "Missing, ever", PT: "Faltaram, ao todo"}
	failedFact     = lang.Text{EN: "The last comparison failed", PT: "A última comparação falhou"}
	sinceText      = lang.Text{EN: "From", PT: "De"}
	untilText      = lang.Text{EN: "To", PT: "Até"}
	countMissing   = lang.Text{EN: "Count what is missing", PT: "Contar o que falta"}
	bringIn        = lang.Text{EN: "Bring it in", PT: "Trazer"}
	dryReport      = lang.Text{EN: "The provider lists %d events; %d came in, %d are missing. Nothing was changed.", PT: "O provedor lista %d eventos; %d chegaram, %d faltam. Nada foi alterado."}
	report         = lang.Text{EN: "The provider lists %d events; %d had come in, %d were missing. %d were brought in from the list, %d were asked for anew and come in by themselves.", PT: "O provedor lista %d eventos; %d tinham chegado, %d faltavam. %d foram trazidos da lista, %d foram pedidos de novo e chegam sozinhos."}
	refusedReport  = lang.Text{EN: "%d could not be brought in: they cannot be published, the provider will not send them again, or they did not come however often they were asked for.", PT: "%d não puderam ser trazidos: não podem ser publicados, o provedor não os envia de novo, ou não vieram por mais que fossem pedidos."}
	filteredReport = lang.Text{EN: "%d were left out by the source's filter.", PT: "%d foram deixados de fora pelo filtro da origem."}
)
