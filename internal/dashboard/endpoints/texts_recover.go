package endpoints

import "github.com/malotehq/malote/internal/dashboard/lang"

// Recoveries.
var (
	recoverTitle     = lang.Text{EN: "Recover what it missed", PT: "Recuperar o que ele perdeu"}
	recoverAdvice    = lang.Text{EN: "What was skipped or died in a span of time is delivered again: the same events with the same bytes. The next page says how many there are, before anything happens.", PT: "O que foi ignorado ou morreu em um período é entregue de novo: os mesmos eventos, com os mesmos bytes. A próxima página diz quantos são, antes que algo aconteça."}
	recoverSinceText = lang.Text{EN: "Events accepted since", PT: "Eventos aceitos desde"}
	recoverUntilText = lang.Text{EN: "and before (empty: now)", PT: "e antes de (vazio: agora)"}
	statesText       = lang.Text{EN: "Which deliveries", PT: "Quais entregas"}
	timesHelp        = lang.Text{EN: "Times are UTC in browsers without scripts, and your own zone's otherwise.", PT: "Os horários são UTC em navegadores sem scripts, e do seu fuso nos demais."}
	previewText      = lang.Text{EN: "Count them first", PT: "Contar antes"}
	previewTitle     = lang.Text{EN: "What would be recovered", PT: "O que seria recuperado"}
	nothingToRecover = lang.Text{EN: "There is nothing to recover.", PT: "Não há nada a recuperar."}
	wouldRecover     = lang.Count{One: lang.Text{EN: "%s delivery would be sent again.", PT: "%s entrega seria enviada de novo."}, Many: lang.Text{EN: "%s deliveries would be sent again.", PT: "%s entregas seriam enviadas de novo."}}
	pacedText        = lang.Text{EN: "They are queued step by step, no more than the endpoint takes, and its limits hold. It goes on by itself, also over a restart, and can be stopped.", PT: "São enfileiradas aos poucos, não mais do que o endpoint aceita, e os limites valem. Continua sozinho, mesmo após um reinício, e pode ser parado."}
	chooseAgainText  = lang.Text{EN: "Choose again", PT: "Escolher de novo"}
	startText        = lang.Text{EN: "Start the recovery", PT: "Iniciar a recuperação"}
	startedText      = lang.Text{EN: "The recovery has begun. Its progress is below.", PT: "A recuperação começou. O andamento está abaixo."}
	cancelledText    = lang.Text{EN: "It is stopped. What it has queued stays queued.", PT: "Foi parada. O que ela enfileirou continua na fila."}
	stopText         = lang.Text{EN: "Stop", PT: "Parar"}
	recoveriesTitle  = lang.Text{EN: "Recoveries", PT: "Recuperações"}
	aboutText        = lang.Text{EN: "What of", PT: "De quê"}
	progressText     = lang.Text{EN: "Progress", PT: "Andamento"}
	startedAtText    = lang.Text{EN: "Started", PT: "Iniciada"}
	endedText        = lang.Text{EN: "Ended", PT: "Encerrada"}
	fromText         = lang.Text{EN: "from", PT: "de"}
	toText           = lang.Text{EN: "to", PT: "até"}
	presentText      = lang.Text{EN: "the present", PT: "o presente"}
	progressOf       = lang.Text{EN: "%s of %s went back into the queue", PT: "%s de %s voltaram à fila"}
	passedOverCount  = lang.Count{One: lang.Text{EN: "%s left alone: replaced, replayed or no longer kept", PT: "%s deixada como está: substituída, reenviada ou não mais guardada"}, Many: lang.Text{EN: "%s left alone: replaced, replayed or no longer kept", PT: "%s deixadas como estão: substituídas, reenviadas ou não mais guardadas"}}

	noRecoveriesTitle   = lang.Text{EN: "No recoveries", PT: "Nenhuma recuperação"}
	noRecoveriesAdvice  = lang.Text{EN: "Nobody recovered anything for this endpoint.", PT: "Ninguém recuperou nada para este endpoint."}
	recoverDisabledText = lang.Text{EN: "It is disabled, so nothing can be sent to it: enable it first, then recover what it missed.", PT: "Está desativado, então nada pode ser enviado a ele: ative-o primeiro, depois recupere o que perdeu."}

	recoverableWords = lang.Words{
		"skipped":   {EN: "skipped: the endpoint was disabled when the event came", PT: "ignoradas: o endpoint estava desativado quando o evento chegou"},
		"dead":      {EN: "dead: all attempts failed", PT: "mortas: todas as tentativas falharam"},
		"discarded": {EN: "discarded: somebody chose not to send them", PT: "descartadas: alguém decidiu não enviá-las"},
	}
	recoveryWords = lang.Words{
		"running":   {EN: "Running", PT: "Em andamento"},
		"done":      {EN: "Done", PT: "Concluída"},
		"cancelled": {EN: "Stopped", PT: "Parada"},
		"failed":    {EN: "Failed", PT: "Falhou"},
	}
)
