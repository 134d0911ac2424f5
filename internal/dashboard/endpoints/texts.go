package endpoints

import "github.com/malotehq/malote/internal/dashboard/lang"

// The list.
var (
	title         = lang.Text{EN: "Endpoints", PT: "Endpoints"}
	newText       = lang.Text{EN: "New endpoint", PT: "Novo endpoint"}
	listCaption   = lang.Text{EN: "Endpoints, the oldest first", PT: "Endpoints, os mais antigos primeiro"}
	filtersText   = lang.Text{EN: "Narrow the list", PT: "Restringir a lista"}
	filterText    = lang.Text{EN: "Filter", PT: "Filtrar"}
	clearText     = lang.Text{EN: "Clear", PT: "Limpar"}
	findText      = lang.Text{EN: "URL or description", PT: "URL ou descrição"}
	statusText    = lang.Text{EN: "Status", PT: "Situação"}
	circuitText   = lang.Text{EN: "Circuit", PT: "Circuito"}
	anyText       = lang.Text{EN: "Any", PT: "Qualquer"}
	stateText     = lang.Text{EN: "State", PT: "Estado"}
	endpointText  = lang.Text{EN: "Endpoint", PT: "Endpoint"}
	tenantText    = lang.Text{EN: "Tenant", PT: "Tenant"}
	policyText    = lang.Text{EN: "Policy", PT: "Política"}
	waitingText   = lang.Text{EN: "Waiting", PT: "Esperando"}
	inFlightText  = lang.Text{EN: "In flight / limit", PT: "Em envio / limite"}
	inFlightTitle = lang.Text{EN: "In flight", PT: "Em envio"}
	successText   = lang.Text{EN: "Last success", PT: "Último sucesso"}
	noneTitle     = lang.Text{EN: "No endpoints", PT: "Nenhum endpoint"}
	noneAdvice    = lang.Text{EN: "An endpoint is a URL that receives events. Add the first one.", PT: "Um endpoint é uma URL que recebe eventos. Adicione o primeiro."}
	noMatchAdvice = lang.Text{EN: "Nothing matches these filters. Clear them to see all.", PT: "Nada corresponde a estes filtros. Limpe-os para ver todos."}

	circuitWords = lang.Words{
		"closed":    {EN: "Closed: it is called", PT: "Fechado: é chamado"},
		"open":      {EN: "Open: it is left alone", PT: "Aberto: é deixado em paz"},
		"half_open": {EN: "Half open: it is tried again", PT: "Meio aberto: é testado de novo"},
	}
)

// An endpoint's pages.
var (
	tabsText       = lang.Text{EN: "Parts of this endpoint", PT: "Partes deste endpoint"}
	overviewText   = lang.Text{EN: "Overview", PT: "Visão geral"}
	deliveriesText = lang.Text{EN: "Deliveries", PT: "Entregas"}
	secretsText    = lang.Text{EN: "Secrets", PT: "Segredos"}
	settingsText   = lang.Text{EN: "Settings", PT: "Configurações"}
	recoverTabText = lang.Text{EN: "Recover", PT: "Recuperar"}

	lastDayTitle    = lang.Text{EN: "The last 24 hours", PT: "As últimas 24 horas"}
	noAttemptsText  = lang.Text{EN: "Nothing was sent to it in this time.", PT: "Nada foi enviado a ele neste período."}
	turnsTitle      = lang.Text{EN: "What happened to it", PT: "O que aconteceu com ele"}
	noTurnsText     = lang.Text{EN: "Nobody changed it, and it never failed for long.", PT: "Ninguém o alterou, e ele nunca falhou por muito tempo."}
	factsTitle      = lang.Text{EN: "Facts", PT: "Dados"}
	idText          = lang.Text{EN: "Id", PT: "Id"}
	contactText     = lang.Text{EN: "Technical contact", PT: "Contato técnico"}
	noContactText   = lang.Text{EN: "none: nobody is mailed when it fails for days", PT: "nenhum: ninguém é avisado se ele falhar por dias"}
	contractText    = lang.Text{EN: "Contract for receivers", PT: "Contrato para receptores"}
	everyTypeText   = lang.Text{EN: "every type", PT: "todos os tipos"}
	noLimitText     = lang.Text{EN: "no limit", PT: "sem limite"}
	perSecondText   = lang.Text{EN: "%s per second", PT: "%s por segundo"}
	repeatsText     = lang.Text{EN: "Repeats", PT: "Repetições"}
	atMostOnceText  = lang.Text{EN: "at most once: nothing is ever sent twice", PT: "no máximo uma vez: nada é enviado duas vezes"}
	createdText     = lang.Text{EN: "Created", PT: "Criado"}
	updatedText     = lang.Text{EN: "Changed", PT: "Alterado"}
	oldestText      = lang.Text{EN: "the oldest for %s", PT: "a mais antiga há %s"}
	loweredText     = lang.Text{EN: "of %d, as long as it fails or asks for less", PT: "de %d, enquanto falhar ou pedir menos"}
	failuresText    = lang.Text{EN: "Failures in a row", PT: "Falhas seguidas"}
	firstFailedText = lang.Text{EN: "the first", PT: "a primeira"}
	neverText       = lang.Text{EN: "never", PT: "nunca"}
)

// Its deliveries.
var (
	allDeliveriesText = lang.Text{EN: "All its deliveries", PT: "Todas as suas entregas"}
	pendingTitle      = lang.Text{EN: "Waiting deliveries", PT: "Entregas esperando"}
	deadTitle         = lang.Text{EN: "Dead deliveries", PT: "Entregas mortas"}
	showAllText       = lang.Text{EN: "Show all", PT: "Ver todas"}
	deliveryText      = lang.Text{EN: "Delivery", PT: "Entrega"}
	eventTypeText     = lang.Text{EN: "Event type", PT: "Tipo de evento"}
	attemptsText      = lang.Text{EN: "Attempts", PT: "Tentativas"}
	lastAnswerText    = lang.Text{EN: "Last answer", PT: "Última resposta"}
	whyText           = lang.Text{EN: "Why", PT: "Por quê"}
	acceptedText      = lang.Text{EN: "Accepted", PT: "Aceita"}
	dueText           = lang.Text{EN: "Next attempt", PT: "Próxima tentativa"}
	diedText          = lang.Text{EN: "Died", PT: "Morreu"}
	nonePendingTitle  = lang.Text{EN: "Nothing waits", PT: "Nada espera"}
	nonePendingAdvice = lang.Text{EN: "Everything for this endpoint was sent, or is being sent.", PT: "Tudo para este endpoint foi enviado, ou está sendo enviado."}
	noneDeadTitle     = lang.Text{EN: "Nothing is dead", PT: "Nada morreu"}
	noneDeadAdvice    = lang.Text{EN: "No delivery to it was given up, as far as they are kept.", PT: "Nenhuma entrega a ele foi abandonada, entre as que são guardadas."}
	discardText       = lang.Text{EN: "Discard what waits", PT: "Descartar o que espera"}
	discardQuestion   = lang.Text{EN: "Discard all that waits for it?", PT: "Descartar tudo o que espera por ele?"}
	discardAdvice     = lang.Text{EN: "They are closed as discarded, and not sent. A recovery can bring them back while their events are kept.", PT: "São encerradas como descartadas, e não são enviadas. Uma recuperação pode trazê-las de volta enquanto os eventos são guardados."}
	discardedCount    = lang.Count{One: lang.Text{EN: "%s delivery was discarded.", PT: "%s entrega foi descartada."}, Many: lang.Text{EN: "%s deliveries were discarded.", PT: "%s entregas foram descartadas."}}
	waitsThere        = lang.Count{One: lang.Text{EN: "%s delivery waits.", PT: "%s entrega espera."}, Many: lang.Text{EN: "%s deliveries wait.", PT: "%s entregas esperam."}}
	nothingWaits      = lang.Text{EN: "Nothing waits.", PT: "Nada espera."}
	seeDeliveryText   = lang.Text{EN: "See the delivery", PT: "Ver a entrega"}
	lastFailureText   = lang.Text{EN: "A failed attempt:", PT: "Uma tentativa que falhou:"}
	byDeliveryText    = lang.Text{EN: "The delivery that brought it about", PT: "A entrega que causou isto"}
	replayedCount     = lang.Count{One: lang.Text{EN: "%s dead delivery went back into the queue.", PT: "%s entrega morta voltou à fila."}, Many: lang.Text{EN: "%s dead deliveries went back into the queue.", PT: "%s entregas mortas voltaram à fila."}}
	answerText        = lang.Text{EN: "What it answered", PT: "O que respondeu"}
	tookText          = lang.Text{EN: "took %s", PT: "levou %s"}
	seeTestText       = lang.Text{EN: "See the test event", PT: "Ver o evento de teste"}
	testTakenText     = lang.Text{EN: "The endpoint took the test event.", PT: "O endpoint recebeu o evento de teste."}
	testRefusedText   = lang.Text{EN: "The test event was not taken. It is not tried again.", PT: "O evento de teste não foi recebido. Não haverá outra tentativa."}
)
