package endpoints

import "github.com/malotehq/malote/internal/dashboard/lang"

// How an endpoint is doing.
var (
	conditionWords = lang.Words{
		"healthy":            {EN: "Healthy", PT: "Saudável"},
		"unused":             {EN: "Not used yet", PT: "Ainda sem uso"},
		"failing":            {EN: "Failing", PT: "Falhando"},
		"slowed":             {EN: "Slowed down", PT: "Desacelerado"},
		"probed":             {EN: "Being tried again", PT: "Sendo testado de novo"},
		"opened":             {EN: "Circuit open", PT: "Circuito aberto"},
		"paused":             {EN: "Paused", PT: "Pausado"},
		"disabled_by_user":   {EN: "Disabled", PT: "Desativado"},
		"disabled_by_system": {EN: "Disabled by Malote", PT: "Desativado pelo Malote"},
	}
	disabledWords = lang.Words{
		"gone":                 {EN: "It answered that it is gone for good (410).", PT: "Respondeu que deixou de existir (410)."},
		"consecutive_failures": {EN: "Too many attempts failed in a row.", PT: "Tentativas demais falharam seguidas."},
		"failing_too_long":     {EN: "It failed for longer than its policy goes on.", PT: "Falhou por mais tempo do que a política tolera."},
	}

	healthyAdvice     = lang.Text{EN: "It takes what it is sent.", PT: "Recebe o que lhe é enviado."}
	unusedAdvice      = lang.Text{EN: "No attempt was made yet. Send a test event to see whether it answers.", PT: "Nenhuma tentativa foi feita ainda. Envie um evento de teste para ver se ele responde."}
	failingAdvice     = lang.Text{EN: "What fails is retried by the schedule of its policy.", PT: "O que falha é repetido conforme a programação da política."}
	slowedAdvice      = lang.Text{EN: "It answered that it is overloaded, so it gets %d at once instead of %d until it answers well again.", PT: "Respondeu que está sobrecarregado, por isso recebe %d por vez em lugar de %d até voltar a responder bem."}
	openedAdvice      = lang.Text{EN: "It is left alone for a while, and then tried with one delivery. If that succeeds, the rest follows.", PT: "É deixado em paz por um tempo e depois testado com uma entrega. Se der certo, o resto segue."}
	probedAdvice      = lang.Text{EN: "The next delivery that is due tries it. If that succeeds, the rest follows; if not, it is left alone again.", PT: "A próxima entrega prevista o testa. Se der certo, o resto segue; se não, é deixado em paz de novo."}
	collectsText      = lang.Text{EN: "Events are collected, and none is sent until somebody resumes it.", PT: "Os eventos são guardados, e nenhum é enviado até que alguém o retome."}
	skipsText         = lang.Text{EN: "New events are recorded as skipped, and none is sent until somebody enables it. Afterwards, recover what it missed.", PT: "Novos eventos são registrados como ignorados, e nenhum é enviado até que alguém o ative. Depois, recupere o que ele perdeu."}
	pausedByText      = lang.Text{EN: "Paused by %s on", PT: "Pausado por %s em"}
	disabledByText    = lang.Text{EN: "Disabled by %s on", PT: "Desativado por %s em"}
	disabledSinceText = lang.Text{EN: "Since", PT: "Desde"}
	openUntilText     = lang.Text{EN: "Nothing is sent until", PT: "Nada é enviado até"}
	failedInRow       = lang.Count{One: lang.Text{EN: "%s attempt failed.", PT: "%s tentativa falhou."}, Many: lang.Text{EN: "%s attempts failed in a row.", PT: "%s tentativas falharam seguidas."}}
)

// Its past.
var (
	turnWords = lang.Words{
		"circuit_opened":           {EN: "Circuit opened", PT: "Circuito aberto"},
		"circuit_closed":           {EN: "Circuit closed: it answers again", PT: "Circuito fechado: voltou a responder"},
		"endpoint_failing":         {EN: "Failing for long", PT: "Falhando há muito tempo"},
		"endpoint_disabled":        {EN: "Disabled by Malote", PT: "Desativado pelo Malote"},
		"create-webhook-endpoint":  {EN: "Created", PT: "Criado"},
		"update-webhook-endpoint":  {EN: "Changed", PT: "Alterado"},
		"enable-webhook-endpoint":  {EN: "Enabled", PT: "Ativado"},
		"disable-webhook-endpoint": {EN: "Disabled", PT: "Desativado"},
		"pause-webhook-endpoint":   {EN: "Paused", PT: "Pausado"},
		"resume-webhook-endpoint":  {EN: "Resumed", PT: "Retomado"},
		"test-webhook-endpoint":    {EN: "Test event sent", PT: "Evento de teste enviado"},
		"discard-webhook-endpoint": {EN: "What waited was discarded", PT: "O que esperava foi descartado"},
	}
	actorWords = lang.Words{
		"api_key":   {EN: "an API key", PT: "uma chave de API"},
		"admin_key": {EN: "the server's admin key", PT: "uma chave de administração do servidor"},
		"user":      {EN: "somebody", PT: "alguém"},
		"portal":    {EN: "the customer", PT: "um cliente"},
	}
	byText         = lang.Text{EN: "by %s", PT: "por %s"}
	byKeyText      = lang.Text{EN: "the API key “%s”", PT: "uma chave de API “%s”"}
	byOperatorText = lang.Text{EN: "the operator", PT: "quem opera o serviço"}
	changedText    = lang.Text{EN: "What changed: %s", PT: "O que mudou: %s"}
	failedCount    = lang.Text{EN: "After %s failures in a row.", PT: "Depois de %s falhas seguidas."}
	failingForText = lang.Text{EN: "For %s so far.", PT: "Há %s até aqui."}
)

// What is done to it.
var (
	testText         = lang.Text{EN: "Send a test", PT: "Enviar um teste"}
	pauseText        = lang.Text{EN: "Pause", PT: "Pausar"}
	resumeText       = lang.Text{EN: "Resume", PT: "Retomar"}
	enableText       = lang.Text{EN: "Enable", PT: "Ativar"}
	disableText      = lang.Text{EN: "Disable", PT: "Desativar"}
	closeText        = lang.Text{EN: "Close the circuit", PT: "Fechar o circuito"}
	deleteText       = lang.Text{EN: "Delete", PT: "Excluir"}
	pauseQuestion    = lang.Text{EN: "Pause this endpoint?", PT: "Pausar este endpoint?"}
	pauseAdvice      = lang.Text{EN: "Events go on being collected for it, and none is sent until somebody resumes it. Nothing is lost. What is being sent just now is not cut off.", PT: "Os eventos continuam sendo guardados para ele, e nenhum é enviado até que alguém o retome. Nada se perde. O que está sendo enviado agora não é interrompido."}
	resumeQuestion   = lang.Text{EN: "Resume this endpoint?", PT: "Retomar este endpoint?"}
	resumeAdvice     = lang.Text{EN: "They are sent, no more at once than its limit allows.", PT: "São enviadas, não mais por vez do que o limite permite."}
	enableQuestion   = lang.Text{EN: "Enable this endpoint?", PT: "Ativar este endpoint?"}
	enableAdvice     = lang.Text{EN: "They are sent, its failures are forgotten, and new events reach it again. Events that were skipped meanwhile are not sent: recover them afterwards.", PT: "São enviadas, as falhas são esquecidas, e novos eventos voltam a chegar. Os eventos ignorados nesse tempo não são enviados: recupere-os depois."}
	closeQuestion    = lang.Text{EN: "Close the circuit now?", PT: "Fechar o circuito agora?"}
	closeAdvice      = lang.Text{EN: "Do this when the receiver has been mended: its failures are forgotten, and what waits is sent at once, up to its limit. If its policy says so, dead deliveries are sent again, too.", PT: "Faça isto quando o receptor tiver sido consertado: as falhas são esquecidas, e o que espera é enviado na hora, até o limite. Se a política disser, as entregas mortas também são reenviadas."}
	disableTitle     = lang.Text{EN: "Disable", PT: "Desativar"}
	disableQuestion  = lang.Text{EN: "Disable this endpoint?", PT: "Desativar este endpoint?"}
	disableAdvice    = lang.Text{EN: "New events are skipped from then on, and what waits stays until it is enabled again or discarded. To collect events instead, pause it.", PT: "Novos eventos passam a ser ignorados, e o que espera fica até que ele seja ativado de novo ou que tudo seja descartado. Para guardar os eventos, pause-o."}
	deleteTitle      = lang.Text{EN: "Delete", PT: "Excluir"}
	deleteQuestion   = lang.Text{EN: "Delete this endpoint for good?", PT: "Excluir este endpoint de vez?"}
	deleteAdvice     = lang.Text{EN: "What waits for it ends as dead, and its secrets are gone. This cannot be undone. What was delivered stays readable.", PT: "O que espera por ele termina como morto, e os segredos se vão. Isto não pode ser desfeito. O que foi entregue continua legível."}
	typeText         = lang.Text{EN: "To confirm, type", PT: "Para confirmar, digite"}
	confirmationText = lang.Text{EN: "Confirmation", PT: "Confirmação"}
	notConfirmedText = lang.Text{EN: "Nothing was deleted: the confirmation must be %s.", PT: "Nada foi excluído: a confirmação deve ser %s."}

	pausedText    = lang.Text{EN: "It is paused: events are collected.", PT: "Está pausado: os eventos são guardados."}
	resumedText   = lang.Text{EN: "It is resumed: what was collected is being sent.", PT: "Foi retomado: o que foi guardado está sendo enviado."}
	enabledText   = lang.Text{EN: "Its failures are forgotten, and what waits is being sent.", PT: "As falhas foram esquecidas, e o que espera está sendo enviado."}
	disabledText  = lang.Text{EN: "It is disabled: new events are skipped.", PT: "Está desativado: novos eventos são ignorados."}
	deletedText   = lang.Text{EN: "%s was deleted.", PT: "%s foi excluído."}
	savedText     = lang.Text{EN: "The changes are saved.", PT: "As alterações foram salvas."}
	unchangedText = lang.Text{EN: "Nothing was different, so nothing was changed.", PT: "Nada estava diferente, então nada foi alterado."}
)
