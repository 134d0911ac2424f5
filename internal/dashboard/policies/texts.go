package policies

import "github.com/malotehq/malote/internal/dashboard/lang"

// The list, and one policy.
var (
	title           = lang.Text{EN: "Policies", PT: "Políticas"}
	listCaption     = lang.Text{EN: "Policies, the presets first", PT: "Políticas, as predefinidas primeiro"}
	nameText        = lang.Text{EN: "Name", PT: "Nome"}
	aboutText       = lang.Text{EN: "What it promises", PT: "O que ela promete"}
	attemptsText    = lang.Text{EN: "Attempts", PT: "Tentativas"}
	lastText        = lang.Text{EN: "Last attempt after", PT: "Última tentativa após"}
	kindText        = lang.Text{EN: "Kind", PT: "Tipo"}
	presetText      = lang.Text{EN: "Preset", PT: "Predefinida"}
	ownText         = lang.Text{EN: "Your own", PT: "Sua"}
	unreadableText  = lang.Text{EN: "This version of Malote cannot read it any more. Its text is all there is.", PT: "Esta versão do Malote já não consegue lê-la. O texto é tudo o que há."}
	rangeText       = lang.Text{EN: "%d to %d", PT: "%d a %d"}
	spreadText      = lang.Text{EN: "%s to %s", PT: "%s a %s"}
	scheduleTitle   = lang.Text{EN: "When attempts are made", PT: "Quando as tentativas são feitas"}
	scheduleAdvice  = lang.Text{EN: "For a delivery that fails every time at once and is asked for no Retry-After. A dot is an attempt without jitter; a bar is where it may lie.", PT: "Para uma entrega que falha toda vez na hora e a que não se pede Retry-After. Um ponto é uma tentativa sem aleatoriedade; uma barra é onde ela pode estar."}
	pictureText     = lang.Text{EN: "%d attempts, the last after %s. The table below has the same.", PT: "%d tentativas, a última após %s. A tabela abaixo tem o mesmo."}
	attemptLabel    = lang.Text{EN: "Attempt %d: %s", PT: "Tentativa %d: %s"}
	asTableText     = lang.Text{EN: "Show as a table", PT: "Mostrar como tabela"}
	scheduleCaption = lang.Text{EN: "Attempts and when they are made, counted from the first", PT: "Tentativas e quando são feitas, contando da primeira"}
	attemptText     = lang.Text{EN: "Attempt", PT: "Tentativa"}
	waitText        = lang.Text{EN: "Wait before it", PT: "Espera antes dela"}
	afterText       = lang.Text{EN: "After the first", PT: "Após a primeira"}
	betweenText     = lang.Text{EN: "With jitter", PT: "Com aleatoriedade"}
	oneAttempt      = lang.Text{EN: "There is one attempt, and no schedule.", PT: "Há uma única tentativa, e nenhuma programação."}
	yamlTitle       = lang.Text{EN: "As it is written", PT: "Como está escrita"}
	guideTitle      = lang.Text{EN: "Guide for receivers", PT: "Guia para receptores"}
	guideAdvice     = lang.Text{EN: "Made from the policy itself: deadline, what each answer means, the timetable, how to verify. Give it to whoever receives.", PT: "Feito da própria política: prazo, o que cada resposta significa, a programação, como verificar. Dê a quem recebe."}
	noGuide         = lang.Text{EN: "It is for services that verify nothing, and has no guide for receivers.", PT: "É para serviços que não verificam nada, e não tem guia para receptores."}
	usersTitle      = lang.Text{EN: "Endpoints that have it", PT: "Endpoints que a têm"}
	usersCaption    = lang.Text{EN: "Endpoints with this policy, the oldest first", PT: "Endpoints com esta política, os mais antigos primeiro"}
	noUsers         = lang.Text{EN: "No endpoint has it.", PT: "Nenhum endpoint a tem."}
	endpointText    = lang.Text{EN: "Endpoint", PT: "Endpoint"}
	tenantText      = lang.Text{EN: "Tenant", PT: "Tenant"}
	statusText      = lang.Text{EN: "Status", PT: "Situação"}
	factsTitle      = lang.Text{EN: "In short", PT: "Em resumo"}
	deadlineFact    = lang.Text{EN: "Deadline of an answer", PT: "Prazo da resposta"}
	inFlightFact    = lang.Text{EN: "At once", PT: "De uma vez"}
	giveUpFact      = lang.Text{EN: "Gives up after", PT: "Desiste após"}
	jitterFact      = lang.Text{EN: "Jitter", PT: "Aleatoriedade"}
	yesText         = lang.Text{EN: "yes", PT: "sim"}
	noText          = lang.Text{EN: "no", PT: "não"}
	neverText       = lang.Text{EN: "its last attempt", PT: "a última tentativa"}
)

// Writing one.
var (
	newText       = lang.Text{EN: "New policy", PT: "Nova política"}
	copyText      = lang.Text{EN: "Begin a new one with it", PT: "Começar uma nova com ela"}
	newAdvice     = lang.Text{EN: "A policy never changes once it is published: endpoints rely on it. Give it a name of its own, and move endpoints to it when you are sure.", PT: "Uma política nunca muda depois de publicada: endpoints confiam nela. Dê a ela um nome próprio, e mova os endpoints para ela quando tiver certeza."}
	yamlText      = lang.Text{EN: "The policy, as YAML", PT: "A política, em YAML"}
	checkText     = lang.Text{EN: "Check", PT: "Verificar"}
	publishText   = lang.Text{EN: "Publish", PT: "Publicar"}
	publishedText = lang.Text{EN: "The policy is published. Endpoints can have it now.", PT: "A política está publicada. Endpoints já podem tê-la."}
	wrongText     = lang.Text{EN: "Line %d, column %d", PT: "Linha %d, coluna %d"}
	rightText     = lang.Text{EN: "Nothing is wrong with it. Nothing was published yet.", PT: "Nada está errado. Nada foi publicado ainda."}
)
