package dlq

import "github.com/malotehq/malote/internal/dashboard/lang"

// The list.
var (
	title         = lang.Text{EN: "Dead letters", PT: "Entregas mortas"}
	listCaption   = lang.Text{EN: "Dead deliveries that wait for somebody", PT: "Entregas mortas que esperam por alguém"}
	tickText      = lang.Text{EN: "Select", PT: "Selecionar"}
	deliveryText  = lang.Text{EN: "Delivery", PT: "Entrega"}
	typeText      = lang.Text{EN: "Event type", PT: "Tipo de evento"}
	tenantText    = lang.Text{EN: "Tenant", PT: "Tenant"}
	endpointText  = lang.Text{EN: "Endpoint", PT: "Endpoint"}
	whyText       = lang.Text{EN: "Why", PT: "Por quê"}
	attemptsText  = lang.Text{EN: "Attempts", PT: "Tentativas"}
	lastText      = lang.Text{EN: "Last answer", PT: "Última resposta"}
	sinceText     = lang.Text{EN: "Dead since", PT: "Morta desde"}
	reasonFilter  = lang.Text{EN: "Reason", PT: "Motivo"}
	orderText     = lang.Text{EN: "Order", PT: "Ordem"}
	oldestText    = lang.Text{EN: "Oldest first", PT: "Antigas primeiro"}
	newestText    = lang.Text{EN: "Newest first", PT: "Novas primeiro"}
	anyText       = lang.Text{EN: "Any", PT: "Qualquer"}
	filterText    = lang.Text{EN: "Filter", PT: "Filtrar"}
	clearText     = lang.Text{EN: "Clear", PT: "Limpar"}
	filtersText   = lang.Text{EN: "Narrow the list", PT: "Restringir a lista"}
	reasonsText   = lang.Text{EN: "Why they died", PT: "Por que morreram"}
	allText       = lang.Text{EN: "All reasons", PT: "Todos os motivos"}
	leftText      = lang.Text{EN: "Left to do", PT: "Por tratar"}
	lateText      = lang.Text{EN: "Waiting for over 24 h", PT: "Esperando há mais de 24 h"}
	oldestSince   = lang.Text{EN: "The first died", PT: "A primeira morreu"}
	overText      = lang.Text{EN: "Over 24 h", PT: "Mais de 24 h"}
	noneTitle     = lang.Text{EN: "Nothing is dead", PT: "Nada está morto"}
	noneAdvice    = lang.Text{EN: "What uses up all its attempts, or is refused for good, comes here until somebody redelivers or resolves it.", PT: "O que esgota as tentativas, ou é recusado de vez, vem para cá até que alguém reenvie ou resolva."}
	noMatchAdvice = lang.Text{EN: "Nothing that is dead matches these filters.", PT: "Nada do que está morto corresponde a estes filtros."}
)

// Acting on what is selected.
var (
	actionsText    = lang.Text{EN: "What to do with what is selected", PT: "O que fazer com o que está selecionado"}
	selectAllText  = lang.Count{One: lang.Text{EN: "Select the %s on this page", PT: "Selecionar a %s desta página"}, Many: lang.Text{EN: "Select all %s on this page", PT: "Selecionar todas as %s desta página"}}
	selectedText   = lang.Text{EN: "selected", PT: "selecionadas"}
	redeliverText  = lang.Text{EN: "Redeliver selected", PT: "Reenviar selecionadas"}
	resolveText    = lang.Text{EN: "Resolve selected", PT: "Resolver selecionadas"}
	nothingTicked  = lang.Text{EN: "Select at least one delivery first.", PT: "Selecione ao menos uma entrega primeiro."}
	previewTitle   = lang.Text{EN: "Send these again?", PT: "Enviar estas de novo?"}
	previewAdvice  = lang.Text{EN: "Each is the same event with the same bytes, in a new cycle of attempts. They go to the URLs that the endpoints have now:", PT: "Cada uma é o mesmo evento, com os mesmos bytes, em um novo ciclo de tentativas. Vão para as URLs que os endpoints têm agora:"}
	changedText    = lang.Text{EN: "Nothing was sent: some of them changed meanwhile. This is how it is now.", PT: "Nada foi enviado: algumas mudaram nesse meio-tempo. É assim que está agora."}
	goingText      = lang.Count{One: lang.Text{EN: "%s delivery", PT: "%s entrega"}, Many: lang.Text{EN: "%s deliveries", PT: "%s entregas"}}
	stayingText    = lang.Count{One: lang.Text{EN: "%s cannot be sent again, and stays", PT: "%s não pode ser reenviada, e fica"}, Many: lang.Text{EN: "%s cannot be sent again, and stay", PT: "%s não podem ser reenviadas, e ficam"}}
	eachText       = lang.Text{EN: "Each of them", PT: "Cada uma delas"}
	noneGoing      = lang.Text{EN: "None of them can be sent again.", PT: "Nenhuma delas pode ser reenviada."}
	confirmText    = lang.Count{One: lang.Text{EN: "Redeliver %s", PT: "Reenviar %s"}, Many: lang.Text{EN: "Redeliver %s", PT: "Reenviar %s"}}
	closeText      = lang.Text{EN: "Close", PT: "Fechar"}
	cancelText     = lang.Text{EN: "Cancel", PT: "Cancelar"}
	resolveTitle   = lang.Text{EN: "Take them off the list?", PT: "Tirá-las da lista?"}
	resolveAdvice  = lang.Count{One: lang.Text{EN: "%s delivery is resolved: nothing is sent, and the reason is kept with it.", PT: "%s entrega é resolvida: nada é enviado, e o motivo fica guardado com ela."}, Many: lang.Text{EN: "%s deliveries are resolved: nothing is sent, and the reason is kept with each.", PT: "%s entregas são resolvidas: nada é enviado, e o motivo fica guardado com cada uma."}}
	reasonText     = lang.Text{EN: "Reason", PT: "Motivo"}
	reasonHelp     = lang.Text{EN: "10 to 1,000 characters, for whoever looks at it later.", PT: "De 10 a 1.000 caracteres, para quem olhar depois."}
	resolveConfirm = lang.Count{One: lang.Text{EN: "Resolve %s", PT: "Resolver %s"}, Many: lang.Text{EN: "Resolve %s", PT: "Resolver %s"}}
	sentOutcome    = lang.Count{One: lang.Text{EN: "%s delivery is back in the queue.", PT: "%s entrega está de volta na fila."}, Many: lang.Text{EN: "%s deliveries are back in the queue.", PT: "%s entregas estão de volta na fila."}}
	doneOutcome    = lang.Count{One: lang.Text{EN: "%s delivery is resolved.", PT: "%s entrega foi resolvida."}, Many: lang.Text{EN: "%s deliveries are resolved.", PT: "%s entregas foram resolvidas."}}
	stayedOutcome  = lang.Count{One: lang.Text{EN: "%s was no longer dead, and stays as it is.", PT: "%s já não estava morta, e fica como está."}, Many: lang.Text{EN: "%s were no longer dead, and stay as they are.", PT: "%s já não estavam mortas, e ficam como estão."}}
	leftOutcome    = lang.Count{One: lang.Text{EN: "%s is left.", PT: "Falta %s."}, Many: lang.Text{EN: "%s are left.", PT: "Faltam %s."}}
	goneText       = lang.Text{EN: "not found", PT: "não encontrada"}
)

// deadNames says shortly why something is dead.
var deadNames = lang.Words{
	"attempts_exhausted": {EN: "Attempts used up", PT: "Tentativas esgotadas"},
	"too_old":            {EN: "Too old", PT: "Velha demais"},
	"rejected":           {EN: "Refused for good", PT: "Recusada de vez"},
	"gone":               {EN: "Endpoint gone", PT: "Endpoint extinto"},
	"too_large":          {EN: "Too large", PT: "Grande demais"},
	"interrupted":        {EN: "Interrupted", PT: "Interrompida"},
	"endpoint_deleted":   {EN: "Endpoint deleted", PT: "Endpoint excluído"},
}

// deadReasons lists them in the order in which the filter offers them.
var deadReasons = []string{"attempts_exhausted", "too_old", "rejected", "gone", "too_large", "interrupted", "endpoint_deleted"}

// refusalWords says why something is not sent again, and what to do.
var refusalWords = lang.Words{
	"not_found":         {EN: "There is no such delivery any more.", PT: "Essa entrega não existe mais."},
	"not_replayable":    {EN: "It is not dead any more, or its endpoint's policy does not allow it.", PT: "Já não está morta, ou a política do endpoint não permite."},
	"no_endpoint":       {EN: "Its event matched no endpoint: there is nowhere to send it.", PT: "Seu evento não correspondeu a nenhum endpoint: não há para onde enviar."},
	"endpoint_deleted":  {EN: "Its endpoint was deleted. Resolve it, or publish the event anew.", PT: "Seu endpoint foi excluído. Resolva-a, ou publique o evento de novo."},
	"endpoint_disabled": {EN: "Its endpoint is disabled: enable it first.", PT: "Seu endpoint está desativado: ative-o primeiro."},
	"may_have_arrived":  {EN: "Its endpoint takes everything at most once, and it may have arrived.", PT: "Seu endpoint recebe tudo no máximo uma vez, e ela pode ter chegado."},
	"superseded":        {EN: "A newer delivery about the same thing is on its way, or arrived.", PT: "Uma entrega mais nova sobre a mesma coisa está a caminho, ou chegou."},
	"event_expired":     {EN: "Its event is no longer kept.", PT: "Seu evento já não é guardado."},
}
