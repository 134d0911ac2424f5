package deliveries

import "github.com/malotehq/malote/internal/dashboard/lang"

// The list.
var (
	title         = lang.Text{EN: "Deliveries", PT: "Entregas"}
	listCaption   = lang.Text{EN: "Deliveries, the newest first", PT: "Entregas, as mais novas primeiro"}
	deliveryText  = lang.Text{EN: "Delivery", PT: "Entrega"}
	stateText     = lang.Text{EN: "State", PT: "Estado"}
	typeText      = lang.Text{EN: "Event type", PT: "Tipo de evento"}
	tenantText    = lang.Text{EN: "Tenant", PT: "Tenant"}
	endpointText  = lang.Text{EN: "Endpoint", PT: "Endpoint"}
	attemptsText  = lang.Text{EN: "Attempts", PT: "Tentativas"}
	lastText      = lang.Text{EN: "Last answer", PT: "Última resposta"}
	acceptedText  = lang.Text{EN: "Accepted", PT: "Aceita"}
	idText        = lang.Text{EN: "Id", PT: "Id"}
	eventText     = lang.Text{EN: "Event", PT: "Evento"}
	sinceText     = lang.Text{EN: "Since", PT: "Desde"}
	untilText     = lang.Text{EN: "Until", PT: "Até"}
	anyText       = lang.Text{EN: "Any", PT: "Qualquer"}
	filterText    = lang.Text{EN: "Filter", PT: "Filtrar"}
	clearText     = lang.Text{EN: "Clear", PT: "Limpar"}
	filtersText   = lang.Text{EN: "Narrow the list", PT: "Restringir a lista"}
	noneTitle     = lang.Text{EN: "No deliveries", PT: "Nenhuma entrega"}
	noneAdvice    = lang.Text{EN: "Nothing was published yet, or nothing of it is kept any more.", PT: "Nada foi publicado ainda, ou nada disso é mais guardado."}
	noMatchAdvice = lang.Text{EN: "Nothing matches these filters. Widen the time, or clear them.", PT: "Nada corresponde a estes filtros. Amplie o período, ou limpe-os."}
	noMoreAdvice  = lang.Text{EN: "The list goes on with its next page.", PT: "A lista continua na próxima página."}
)

// One delivery.
var (
	replayText       = lang.Text{EN: "Replay", PT: "Reenviar"}
	resolveText      = lang.Text{EN: "Resolve", PT: "Resolver"}
	replayedText     = lang.Text{EN: "It is back in the queue and will be sent again.", PT: "Está de volta na fila e será enviada de novo."}
	resolvedText     = lang.Text{EN: "It is off the list of dead deliveries.", PT: "Saiu da lista de entregas mortas."}
	replayTitle      = lang.Text{EN: "Send this delivery again?", PT: "Enviar esta entrega de novo?"}
	replayAdvice     = lang.Text{EN: "The same event with the same bytes goes to the URL that the endpoint has now, in a new cycle of attempts. A receiver that took it before tells it by its webhook-id.", PT: "O mesmo evento, com os mesmos bytes, vai para a URL atual do endpoint, em um novo ciclo de tentativas. Um receptor que já o recebeu o reconhece pelo webhook-id."}
	resolveTitle     = lang.Text{EN: "Take it off the list of dead deliveries?", PT: "Tirá-la da lista de entregas mortas?"}
	resolveAdvice    = lang.Text{EN: "Nothing is sent. The reason is kept with the delivery.", PT: "Nada é enviado. O motivo fica guardado com a entrega."}
	reasonText       = lang.Text{EN: "Reason", PT: "Motivo"}
	reasonHelp       = lang.Text{EN: "10 to 1,000 characters, for whoever looks at it later.", PT: "De 10 a 1.000 caracteres, para quem olhar depois."}
	nextTitle        = lang.Text{EN: "What happens next", PT: "O que acontece agora"}
	attemptsTitle    = lang.Text{EN: "Attempts", PT: "Tentativas"}
	factsTitle       = lang.Text{EN: "Facts", PT: "Dados"}
	sentTitle        = lang.Text{EN: "What is sent", PT: "O que é enviado"}
	policyText       = lang.Text{EN: "Policy", PT: "Política"}
	closedText       = lang.Text{EN: "Closed", PT: "Encerrada"}
	dueText          = lang.Text{EN: "Next attempt", PT: "Próxima tentativa"}
	triggerText      = lang.Text{EN: "Queued", PT: "Enfileirada"}
	keyText          = lang.Text{EN: "Coalescing key", PT: "Chave de agrupamento"}
	supersededText   = lang.Text{EN: "Superseded by", PT: "Substituída por"}
	resolutionText   = lang.Text{EN: "Reason given", PT: "Motivo informado"}
	whyText          = lang.Text{EN: "Why", PT: "Por quê"}
	urlText          = lang.Text{EN: "URL", PT: "URL"}
	statusText       = lang.Text{EN: "Endpoint status", PT: "Situação do endpoint"}
	attemptText      = lang.Text{EN: "Attempt %d", PT: "Tentativa %d"}
	succeededText    = lang.Text{EN: "Succeeded", PT: "Deu certo"}
	tookText         = lang.Text{EN: "took %s", PT: "levou %s"}
	lateText         = lang.Text{EN: "%s after it was due", PT: "%s depois do previsto"}
	dueAtText        = lang.Text{EN: "due", PT: "prevista"}
	startedText      = lang.Text{EN: "started", PT: "iniciada"}
	answerText       = lang.Text{EN: "What it answered", PT: "O que respondeu"}
	acceptedMoment   = lang.Text{EN: "Event accepted", PT: "Evento aceito"}
	waitingText      = lang.Text{EN: "Attempt %d is due", PT: "A tentativa %d está prevista"}
	sendingText      = lang.Text{EN: "Attempt %d is under way", PT: "A tentativa %d está em andamento"}
	closedMoment     = lang.Text{EN: "Closed: %s", PT: "Encerrada: %s"}
	noAttempts       = lang.Text{EN: "Nothing was sent.", PT: "Nada foi enviado."}
	deletedText      = lang.Text{EN: "The endpoint was deleted.", PT: "O endpoint foi excluído."}
	noEndpointText   = lang.Text{EN: "none: nobody takes this event", PT: "nenhum: ninguém recebe este evento"}
	headersText      = lang.Text{EN: "Headers", PT: "Cabeçalhos"}
	goneText         = lang.Text{EN: "The event is no longer kept.", PT: "O evento já não é guardado."}
	signatureText    = lang.Text{EN: "Signature", PT: "Assinatura"}
	clauseHelp       = lang.Text{EN: "Clause of the policy:", PT: "Cláusula da política:"}
	notPolicysAdvice = lang.Text{EN: "What is here does not follow from the policy as it is now: a person, a restart or an earlier version of it brought this about.", PT: "O que está aqui não decorre da política como ela é agora: uma pessoa, um reinício ou uma versão anterior dela causou isto."}
)
