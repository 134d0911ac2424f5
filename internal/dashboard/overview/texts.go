package overview

import "github.com/malotehq/malote/internal/dashboard/lang"

// Now.
var (
	nowTitle        = lang.Text{EN: "Now", PT: "Agora"}
	publishedText   = lang.Text{EN: "Published", PT: "Publicados"}
	attemptsText    = lang.Text{EN: "Attempts", PT: "Tentativas"}
	perSecondText   = lang.Text{EN: "per second", PT: "por segundo"}
	rateTitle       = lang.Text{EN: "Success", PT: "Sucesso"}
	medianText      = lang.Text{EN: "Attempts take, median", PT: "Duração, mediana"}
	p99Title        = lang.Text{EN: "99 of 100 take at most", PT: "99 de 100 levam até"}
	pendingText     = lang.Text{EN: "Pending", PT: "Pendentes"}
	inFlightText    = lang.Text{EN: "In flight", PT: "Em envio"}
	healthyText     = lang.Text{EN: "Oldest of healthy endpoints", PT: "Mais antiga, endpoints saudáveis"}
	oldestText      = lang.Text{EN: "Oldest of all", PT: "Mais antiga de todas"}
	atEndpointsText = lang.Count{One: lang.Text{EN: "at %s endpoint", PT: "em %s endpoint"}, Many: lang.Text{EN: "at %s endpoints", PT: "em %s endpoints"}}
	processesText   = lang.Count{One: lang.Text{EN: "%s process at work", PT: "%s processo trabalhando"}, Many: lang.Text{EN: "%s processes at work", PT: "%s processos trabalhando"}}
	windowText      = lang.Text{EN: "over the last %s", PT: "no período de %s"}
	whoLagsText     = lang.Text{EN: "Who lags behind?", PT: "Quem está atrasado?"}
	capacityWarning = lang.Text{EN: "Healthy endpoints have to wait: the platform is short of capacity. Add a worker, or look at what the database is busy with.", PT: "Endpoints saudáveis estão esperando: falta capacidade à plataforma. Acrescente um worker, ou veja com o que o banco de dados está ocupado."}
	customerNotice  = lang.Text{EN: "What is late waits for endpoints that are paused or failing. Healthy ones are served at once.", PT: "O que está atrasado espera por endpoints pausados ou com falhas. Os saudáveis são atendidos na hora."}
)

// Lag.
var (
	lagTitle     = lang.Text{EN: "Lag", PT: "Atraso"}
	lagCaption   = lang.Text{EN: "The most delayed endpoints", PT: "Os endpoints mais atrasados"}
	endpointText = lang.Text{EN: "Endpoint", PT: "Endpoint"}
	tenantText   = lang.Text{EN: "Tenant", PT: "Tenant"}
	statusText   = lang.Text{EN: "Status", PT: "Situação"}
	ageText      = lang.Text{EN: "Oldest pending", PT: "Pendente mais antiga"}
	limitText    = lang.Text{EN: "In flight / limit", PT: "Em envio / limite"}
	untilText    = lang.Text{EN: "Left alone until", PT: "Em paz até"}
	errorText    = lang.Text{EN: "Last error", PT: "Último erro"}
	whyText      = lang.Text{EN: "What holds it up", PT: "O que o segura"}
	noLagTitle   = lang.Text{EN: "Nothing waits", PT: "Nada espera"}
	noLagAdvice  = lang.Text{EN: "No delivery is pending at any endpoint.", PT: "Não há entrega pendente em nenhum endpoint."}
	lagAdvice    = lang.Text{EN: "The 20 endpoints whose oldest delivery has waited longest.", PT: "Os 20 endpoints cuja entrega mais antiga espera há mais tempo."}

	byPause    = lang.Text{EN: "Somebody paused it.", PT: "Alguém o pausou."}
	byDisabled = lang.Text{EN: "It is disabled.", PT: "Está desativado."}
	byCircuit  = lang.Text{EN: "It failed %d times in a row and is left alone.", PT: "Falhou %d vezes seguidas e é deixado em paz."}
	byProbing  = lang.Text{EN: "It failed, and is being tried again.", PT: "Falhou, e está sendo testado de novo."}
	bySlowDown = lang.Text{EN: "It asked for less: %d of %d at once.", PT: "Pediu menos: %d de %d por vez."}
	byFailures = lang.Text{EN: "It failed %d times in a row; retries wait.", PT: "Falhou %d vezes seguidas; as novas tentativas esperam."}
	byLimit    = lang.Text{EN: "It is slow: all its slots are taken.", PT: "É lento: todas as vagas estão ocupadas."}
	byCapacity = lang.Text{EN: "Nothing of its own: it waits for its turn.", PT: "Nada dele mesmo: espera a sua vez."}
)
