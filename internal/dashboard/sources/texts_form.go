package sources

import "github.com/malotehq/malote/internal/dashboard/lang"

// Choosing a provider, and the form around the settings.
var (
	chooseText    = lang.Text{EN: "Who sends the webhooks?", PT: "Quem envia os webhooks?"}
	chooseAdvice  = lang.Text{EN: "Each provider signs in its own way. The last is for anybody who is not here.", PT: "Cada provedor assina do seu jeito. O último é para quem não está aqui."}
	repairsText   = lang.Text{EN: "repairs gaps", PT: "repara lacunas"}
	otherProvider = lang.Text{EN: "Another provider", PT: "Outro provedor"}
	createText    = lang.Text{EN: "Create the source", PT: "Criar a origem"}
	saveText      = lang.Text{EN: "Save", PT: "Salvar"}
	checkFields   = lang.Text{EN: "Some fields are not right.", PT: "Alguns campos não estão certos."}
	notANumber    = lang.Text{EN: "“%s” is not a number.", PT: "“%s” não é um número."}
	defaultOption = lang.Text{EN: "Default", PT: "Padrão"}
	tenantHelp    = lang.Text{EN: "Whose events they become.", PT: "De quem os eventos passam a ser."}
)

// The settings.
var (
	nameHelp        = lang.Text{EN: "For people, such as “Stripe, live mode”.", PT: "Para pessoas, como “Stripe, produção”."}
	descriptionText = lang.Text{EN: "Description", PT: "Descrição"}

	genericTitle        = lang.Text{EN: "How the sender is known", PT: "Como se reconhece quem envia"}
	authText            = lang.Text{EN: "By what", PT: "Por quê"}
	authHelp            = lang.Text{EN: "Default: hmac, a signature over the body.", PT: "Padrão: hmac, uma assinatura sobre o corpo."}
	headerText          = lang.Text{EN: "Header", PT: "Cabeçalho"}
	headerHelp          = lang.Text{EN: "What holds the signature, or the token.", PT: "O que contém a assinatura, ou o token."}
	prefixText          = lang.Text{EN: "Before the signature", PT: "Antes da assinatura"}
	separatorText       = lang.Text{EN: "Between signatures", PT: "Entre assinaturas"}
	separatorHelp       = lang.Text{EN: "Empty: there is one.", PT: "Vazio: há uma só."}
	encodingText        = lang.Text{EN: "Encoding of the signature", PT: "Codificação da assinatura"}
	algorithmText       = lang.Text{EN: "Algorithm", PT: "Algoritmo"}
	secretEncodingText  = lang.Text{EN: "How the secret is written", PT: "Como o segredo está escrito"}
	contentText         = lang.Text{EN: "What is signed", PT: "O que é assinado"}
	contentHelp         = lang.Text{EN: "Text with {body}, {timestamp}, {method}, {url}, {id} and {header:Name} in it. Default: {body}.", PT: "Texto com {body}, {timestamp}, {method}, {url}, {id} e {header:Nome}. Padrão: {body}."}
	timestampHeaderText = lang.Text{EN: "Header with the signed time", PT: "Cabeçalho com o horário assinado"}
	timestampFormatText = lang.Text{EN: "Format of the time", PT: "Formato do horário"}
	parameterText       = lang.Text{EN: "Parameter with the token", PT: "Parâmetro com o token"}
	parameterHelp       = lang.Text{EN: "Of the address, for query_token.", PT: "Do endereço, para query_token."}
	idText              = lang.Text{EN: "Where the event's id is", PT: "Onde está o id do evento"}
	typeText            = lang.Text{EN: "Where the event's type is", PT: "Onde está o tipo do evento"}
	locatorHelp         = lang.Text{EN: "header:Name, or json: and a path.", PT: "header:Nome, ou json: e um caminho."}
	addressesText       = lang.Text{EN: "Addresses that may send", PT: "Endereços que podem enviar"}
	addressesHelp       = lang.Text{EN: "Addresses and ranges, one in a line. Empty: all.", PT: "Endereços e faixas, um por linha. Vazio: todos."}

	readingTitle  = lang.Text{EN: "How requests are read", PT: "Como as requisições são lidas"}
	dedupeText    = lang.Text{EN: "What tells a repetition", PT: "O que revela uma repetição"}
	dedupeHelp    = lang.Text{EN: "provider (its own id), body_hash, none, header:Name, or json: and a path. Empty: provider.", PT: "provider (o id dele), body_hash, none, header:Nome, ou json: e um caminho. Vazio: provider."}
	typeFromText  = lang.Text{EN: "Where an event's type comes from", PT: "De onde vem o tipo do evento"}
	typeFromHelp  = lang.Text{EN: "provider, fixed: and a type, header:Name, or json: and a path. Empty: provider.", PT: "provider, fixed: e um tipo, header:Nome, ou json: e um caminho. Vazio: provider."}
	forwardText   = lang.Text{EN: "Headers to pass on", PT: "Cabeçalhos a repassar"}
	forwardHelp   = lang.Text{EN: "One in a line. Empty: those that tell about the event. Credentials and signatures never are.", PT: "Um por linha. Vazio: os que falam do evento. Credenciais e assinaturas nunca são repassadas."}
	filterText    = lang.Text{EN: "Filter", PT: "Filtro"}
	filterHelp    = lang.Text{EN: "A CEL expression over type and data. Events for which it is false are acknowledged and not stored.", PT: "Uma expressão CEL sobre type e data. Eventos para os quais ela é falsa são confirmados e não guardados."}
	urlText       = lang.Text{EN: "Address that the provider was given", PT: "Endereço dado ao provedor"}
	urlHelp       = lang.Text{EN: "Only if the provider signs it and this server sees another.", PT: "Só se o provedor o assina e este servidor vê outro."}
	toleranceText = lang.Text{EN: "How far a signed time may be off", PT: "Quanto um horário assinado pode divergir"}
	toleranceHelp = lang.Text{EN: "Such as 90s, or off. Empty: what the provider documents.", PT: "Como 90s, ou off. Vazio: o que o provedor documenta."}
	codingText    = lang.Text{EN: "Packed bodies", PT: "Corpos compactados"}

	limitsTitle   = lang.Text{EN: "Limits", PT: "Limites"}
	maxBodyText   = lang.Text{EN: "Largest body, in bytes", PT: "Maior corpo, em bytes"}
	perSecondText = lang.Text{EN: "Requests a second", PT: "Requisições por segundo"}
	burstText     = lang.Text{EN: "At once", PT: "De uma vez"}

	answerTitle      = lang.Text{EN: "The answer that the provider gets", PT: "A resposta que o provedor recebe"}
	answerStatusText = lang.Text{EN: "Status", PT: "Status"}
	answerBodyText   = lang.Text{EN: "Body", PT: "Corpo"}
	answerTypeText   = lang.Text{EN: "Content type", PT: "Tipo do conteúdo"}

	ownerText      = lang.Text{EN: "Owner on GitHub", PT: "Dono no GitHub"}
	repositoryText = lang.Text{EN: "Repository", PT: "Repositório"}
	repositoryHelp = lang.Text{EN: "Empty: the webhook is the organisation's.", PT: "Vazio: o webhook é da organização."}
	hookText       = lang.Text{EN: "Number of the webhook", PT: "Número do webhook"}
	hookHelp       = lang.Text{EN: "At the end of its address on GitHub.", PT: "No fim do endereço dele no GitHub."}
	typesText      = lang.Text{EN: "Types that the endpoint gets", PT: "Tipos que o endpoint recebe"}
	typesHelp      = lang.Text{EN: "One in a line. Empty: all.", PT: "Um por linha. Vazio: todos."}
	intervalText   = lang.Text{EN: "Between two comparisons", PT: "Entre duas comparações"}
	intervalHelp   = lang.Text{EN: "At least 1m. Empty: 5m.", PT: "Ao menos 1m. Vazio: 5m."}
	baseURLText    = lang.Text{EN: "Address of the provider's API", PT: "Endereço da API do provedor"}
)
