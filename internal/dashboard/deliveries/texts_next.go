package deliveries

import "github.com/malotehq/malote/internal/dashboard/lang"

// What happens next.
var (
	sendingNow     = lang.Text{EN: "Attempt %d is being made right now.", PT: "A tentativa %d está sendo feita agora."}
	nothingMore    = lang.Text{EN: "Nothing more is sent.", PT: "Nada mais é enviado."}
	nothingWasSent = lang.Text{EN: "Nothing was sent.", PT: "Nada foi enviado."}
	unlessReplayed = lang.Text{EN: "Nothing more is sent, unless somebody replays it.", PT: "Nada mais é enviado, a menos que alguém a reenvie."}
	dueNow         = lang.Text{EN: "Attempt %d is due now.", PT: "A tentativa %d está prevista para agora."}
	dueIn          = lang.Text{EN: "Attempt %d is due in %s.", PT: "A tentativa %d está prevista para daqui a %s."}
	bySchedule     = lang.Text{EN: "The schedule waits %s after failed attempt %d of this cycle.", PT: "A programação espera %s depois da tentativa %d deste ciclo falhar."}
	withJitter     = lang.Text{EN: "Part of the wait is random, so that not all come back at once.", PT: "Parte da espera é aleatória, para que nem todas voltem ao mesmo tempo."}
	byRetryAfter   = lang.Text{EN: "The answer asked for this wait (Retry-After), which is obeyed up to %s.", PT: "A resposta pediu esta espera (Retry-After), que é respeitada até %s."}
	byMinimumWait  = lang.Text{EN: "A retry never follows sooner than %s.", PT: "Uma nova tentativa nunca vem antes de %s."}
	byLostWorker   = lang.Text{EN: "The worker was lost before it recorded an outcome, so it went back to the queue at once.", PT: "O worker se perdeu antes de registrar o resultado, então ela voltou à fila na hora."}
	byRule         = lang.Text{EN: "The policy does not retry this kind of failure.", PT: "A política não repete este tipo de falha."}
	byAttempts     = lang.Text{EN: "The policy makes %d attempts, and all were made.", PT: "A política faz %d tentativas, e todas foram feitas."}
	byAge          = lang.Text{EN: "The next attempt would lie past the %s for which the policy goes on.", PT: "A próxima tentativa passaria de %s, o tempo pelo qual a política continua."}
	byTest         = lang.Text{EN: "A test gets one attempt.", PT: "Um teste tem uma única tentativa."}
	byAtMostOnce   = lang.Text{EN: "Its endpoint takes every event at most once.", PT: "Seu endpoint recebe cada evento no máximo uma vez."}
	heldByPause    = lang.Text{EN: "Its endpoint is paused: it waits until the endpoint is resumed.", PT: "Seu endpoint está pausado: ela espera até que seja retomado."}
	heldByDisabled = lang.Text{EN: "Its endpoint is disabled: it waits until the endpoint is enabled.", PT: "Seu endpoint está desativado: ela espera até que seja ativado."}
	heldByCircuit  = lang.Text{EN: "Its endpoint failed %d times in a row and is left alone for another %s.", PT: "Seu endpoint falhou %d vezes seguidas e é deixado em paz por mais %s."}
)

// Stand-ins for values that each attempt has its own of.
var (
	perAttemptSignature = lang.Text{EN: "made for each attempt, with every secret that is live then", PT: "feita a cada tentativa, com todos os segredos ativos no momento"}
	perAttemptTime      = lang.Text{EN: "seconds since 1970, when the attempt is made", PT: "segundos desde 1970, quando a tentativa é feita"}
	perAttemptNumber    = lang.Text{EN: "the number of the attempt", PT: "o número da tentativa"}
	headersHelp         = lang.Text{EN: "As the endpoint and its policy have them now. Values of secret headers are never shown.", PT: "Como o endpoint e a política os têm agora. Valores de cabeçalhos secretos nunca são mostrados."}
)

// The check of a signature.
var (
	checkTitle     = lang.Text{EN: "Check a signature", PT: "Verificar uma assinatura"}
	checkAdvice    = lang.Text{EN: "The receiver says that a signature is wrong? Paste what it received and the secret that it uses, and compare them with the bytes that were sent. The secret is not kept.", PT: "O receptor diz que uma assinatura está errada? Cole o que ele recebeu e o segredo que ele usa, e compare com os bytes enviados. O segredo não é guardado."}
	checkText      = lang.Text{EN: "Compare", PT: "Comparar"}
	secretText     = lang.Text{EN: "Secret of the receiver", PT: "Segredo do receptor"}
	timestampText  = lang.Text{EN: "Timestamp received", PT: "Timestamp recebido"}
	signatureField = lang.Text{EN: "Signature received", PT: "Assinatura recebida"}
	holdsText      = lang.Text{EN: "It holds: these bytes were signed with this secret. If the receiver refuses it, look at its code: it must use the body exactly as it came, before any parsing, and allow for its clock.", PT: "Ela confere: estes bytes foram assinados com este segredo. Se o receptor a recusa, veja o código dele: é preciso usar o corpo exatamente como chegou, antes de qualquer interpretação, e tolerar o relógio."}
	badSecretText  = lang.Text{EN: "This is not a secret as Malote gives them: whsec_ and base64.", PT: "Este não é um segredo como o Malote os dá: whsec_ e base64."}
	wrongText      = lang.Text{EN: "It does not hold. Most likely the receiver uses another secret than the endpoint's, or the signature is of another delivery.", PT: "Ela não confere. O mais provável é que o receptor use outro segredo que o do endpoint, ou que a assinatura seja de outra entrega."}
	encodingText   = lang.Text{EN: "The signature is right, but written in another encoding than it was sent in. Something on the way changed the header.", PT: "A assinatura está certa, mas escrita em outra codificação. Algo no caminho mudou o cabeçalho."}
	undecodedText  = lang.Text{EN: "The key was the text of the secret, not the bytes that it encodes: decode the base64 after whsec_ first.", PT: "A chave usada foi o texto do segredo, não os bytes que ele codifica: decodifique antes o base64 depois de whsec_."}
	reencodedText  = lang.Text{EN: "The signature is of the same content in other bytes: something parsed the body and wrote it anew.", PT: "A assinatura é do mesmo conteúdo em outros bytes: algo interpretou o corpo e o escreveu de novo."}
	malformedText  = lang.Text{EN: "The timestamp or the signature cannot be read. Paste the headers' values whole.", PT: "O timestamp ou a assinatura não pode ser lido. Cole os valores inteiros dos cabeçalhos."}
)
