package events

import "github.com/malotehq/malote/internal/dashboard/lang"

var (
	title           = lang.Text{EN: "Events", PT: "Eventos"}
	listCaption     = lang.Text{EN: "Events of a tenant, the oldest first", PT: "Eventos de um tenant, os mais antigos primeiro"}
	eventText       = lang.Text{EN: "Event", PT: "Evento"}
	typeText        = lang.Text{EN: "Type", PT: "Tipo"}
	tenantText      = lang.Text{EN: "Tenant", PT: "Tenant"}
	externalText    = lang.Text{EN: "External id", PT: "Id externo"}
	keyText         = lang.Text{EN: "Idempotency key", PT: "Chave de idempotência"}
	coalesceText    = lang.Text{EN: "Coalescing key", PT: "Chave de agrupamento"}
	versionText     = lang.Text{EN: "Entity version", PT: "Versão da entidade"}
	sourceText      = lang.Text{EN: "Source", PT: "Origem"}
	acceptedText    = lang.Text{EN: "Accepted", PT: "Aceito"}
	occurredText    = lang.Text{EN: "Happened", PT: "Ocorreu"}
	contentText     = lang.Text{EN: "Content type", PT: "Tipo de conteúdo"}
	publishedText   = lang.Text{EN: "published", PT: "publicado"}
	cameInText      = lang.Text{EN: "Came in by", PT: "Chegou por"}
	sinceText       = lang.Text{EN: "Since", PT: "Desde"}
	untilText       = lang.Text{EN: "Until", PT: "Até"}
	filterText      = lang.Text{EN: "Show", PT: "Mostrar"}
	filtersText     = lang.Text{EN: "Whose events, and of when", PT: "De quem, e de quando"}
	whoseTitle      = lang.Text{EN: "Whose events?", PT: "Eventos de quem?"}
	whoseAdvice     = lang.Text{EN: "Name a tenant to see what it got, or search for one event by any of its ids.", PT: "Informe um tenant para ver o que ele recebeu, ou busque um evento por qualquer id dele."}
	noneTitle       = lang.Text{EN: "No events", PT: "Nenhum evento"}
	noneAdvice      = lang.Text{EN: "Nothing was published in this time, or nothing of it is kept any more.", PT: "Nada foi publicado neste período, ou nada disso é mais guardado."}
	noMoreAdvice    = lang.Text{EN: "The list goes on with its next page.", PT: "A lista continua na próxima página."}
	exportText      = lang.Text{EN: "Export", PT: "Exportar"}
	exportHelp      = lang.Text{EN: "Every event of this tenant and time, with what became of it at each endpoint.", PT: "Cada evento deste tenant e período, com o que aconteceu em cada endpoint."}
	factsTitle      = lang.Text{EN: "Facts", PT: "Dados"}
	bodyTitle       = lang.Text{EN: "As it was accepted", PT: "Como foi aceito"}
	deliveriesTitle = lang.Text{EN: "What became of it", PT: "O que aconteceu com ele"}
	noDeliveries    = lang.Text{EN: "Nobody was to get it, and nothing was recorded.", PT: "Ninguém devia recebê-lo, e nada foi registrado."}
	headersTitle    = lang.Text{EN: "Headers passed on", PT: "Cabeçalhos repassados"}
	stateText       = lang.Text{EN: "State", PT: "Estado"}
	deliveryText    = lang.Text{EN: "Delivery", PT: "Entrega"}
	endpointText    = lang.Text{EN: "Endpoint", PT: "Endpoint"}
	attemptsText    = lang.Text{EN: "Attempts", PT: "Tentativas"}
	lastText        = lang.Text{EN: "Last answer", PT: "Última resposta"}
	closedText      = lang.Text{EN: "Closed", PT: "Encerrada"}
	allText         = lang.Text{EN: "All deliveries of this event", PT: "Todas as entregas deste evento"}
)
