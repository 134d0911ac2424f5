package endpoints

import "github.com/malotehq/malote/internal/dashboard/lang"

// The form.
var (
	cancelText      = lang.Text{EN: "Cancel", PT: "Cancelar"}
	createText      = lang.Text{EN: "Create endpoint", PT: "Criar endpoint"}
	saveText        = lang.Text{EN: "Save changes", PT: "Salvar alterações"}
	settingsTitle   = lang.Text{EN: "Settings", PT: "Configurações"}
	notSavedText    = lang.Text{EN: "That was not saved.", PT: "Isso não foi salvo."}
	lookBelowText   = lang.Text{EN: "The fields below say what is wrong.", PT: "Os campos abaixo dizem o que está errado."}
	racedText       = lang.Text{EN: "Somebody changed this endpoint after you opened the page. Below is what you wrote; saving it now overwrites what differs. To see their version, open this page anew.", PT: "Alguém alterou este endpoint depois que você abriu a página. Abaixo está o que você escreveu; salvar agora sobrescreve o que difere. Para ver a outra versão, abra a página de novo."}
	tenantHelp      = lang.Text{EN: "The customer whose events it receives.", PT: "O cliente cujos eventos ele recebe."}
	urlText         = lang.Text{EN: "URL", PT: "URL"}
	urlHelp         = lang.Text{EN: "Where deliveries are POSTed. It must be reachable from the internet.", PT: "Para onde as entregas são enviadas por POST. Deve ser acessível pela internet."}
	typesText       = lang.Text{EN: "Event types", PT: "Tipos de evento"}
	typesHelp       = lang.Text{EN: "One per line. invoice.* takes every type below invoice. Empty: every type.", PT: "Um por linha. invoice.* recebe todos os tipos abaixo de invoice. Vazio: todos os tipos."}
	policyHelp      = lang.Text{EN: "The delivery contract: when attempts are made, what counts as success, how it is signed.", PT: "O contrato de entrega: quando as tentativas são feitas, o que conta como sucesso, como é assinado."}
	usualPolicyText = lang.Text{EN: "The usual one: standard, or email for an e-mail address", PT: "A usual: standard, ou email para um endereço de e-mail"}

	descriptionText = lang.Text{EN: "Description", PT: "Descrição"}
	descriptionHelp = lang.Text{EN: "For people: what it is for, who looks after it.", PT: "Para as pessoas: para que serve, quem cuida dele."}

	moreText        = lang.Text{EN: "More options", PT: "Mais opções"}
	limitText       = lang.Text{EN: "At most in flight", PT: "Máximo em envio"}
	limitHelp       = lang.Text{EN: "How many deliveries may be on their way at once, 1 to 1,000. Empty: the policy's default.", PT: "Quantas entregas podem estar a caminho ao mesmo tempo, de 1 a 1.000. Vazio: o padrão da política."}
	rateText        = lang.Text{EN: "Rate limit", PT: "Limite de taxa"}
	rateHelp        = lang.Text{EN: "Attempts per second at most, retries included. Empty: the policy's default.", PT: "Tentativas por segundo no máximo, repetições incluídas. Vazio: o padrão da política."}
	orderText       = lang.Text{EN: "Order", PT: "Ordem"}
	orderHelp       = lang.Text{EN: "In strict order, an event that fails holds all later ones until it is delivered or dead.", PT: "Em ordem estrita, um evento que falha segura todos os seguintes até ser entregue ou morrer."}
	policysText     = lang.Text{EN: "The policy's default", PT: "O padrão da política"}
	unorderedText   = lang.Text{EN: "in any order, several at once", PT: "em qualquer ordem, vários por vez"}
	orderedText     = lang.Text{EN: "strictly one after another", PT: "estritamente um após o outro"}
	onceText        = lang.Text{EN: "Never send anything twice", PT: "Nunca enviar nada duas vezes"}
	onceHelp        = lang.Text{EN: "At most once: what may have arrived is given up instead of retried.", PT: "No máximo uma vez: o que talvez tenha chegado é abandonado em vez de repetido."}
	filterFieldText = lang.Text{EN: "Filter", PT: "Filtro"}
	filterHelp      = lang.Text{EN: "A CEL expression over type, data and more; events for which it is false are skipped.", PT: "Uma expressão CEL sobre type, data e mais; eventos para os quais é falsa são ignorados."}
	headersText     = lang.Text{EN: "Headers", PT: "Cabeçalhos"}
	headersHelp     = lang.Text{EN: "Sent with every attempt. One per line, as Name: value. Names that speak of credentials become secret by themselves.", PT: "Enviados em cada tentativa. Um por linha, como Nome: valor. Nomes que falam de credenciais tornam-se sigilosos por si."}

	secretHeadersText = lang.Text{EN: "Secret headers", PT: "Cabeçalhos sigilosos"}
	secretHeadersHelp = lang.Text{EN: "The same, but nobody can read the values again. [hidden] keeps the value that is there.", PT: "O mesmo, mas ninguém pode ler os valores de novo. [hidden] mantém o valor que existe."}

	metadataText      = lang.Text{EN: "Metadata", PT: "Metadados"}
	metadataHelp      = lang.Text{EN: "Yours to use, never sent. One per line, as name: value.", PT: "Para seu uso, nunca enviados. Um por linha, como nome: valor."}
	metadataElsewhere = lang.Text{EN: "Its metadata does not fit on lines. It stays as it is here; change it through the API.", PT: "Seus metadados não cabem em linhas. Aqui ficam como estão; altere-os pela API."}
	ownSecretText     = lang.Text{EN: "A secret of your own", PT: "Um segredo seu"}
	ownSecretHelp     = lang.Text{EN: "whsec_ and base64 of 24 to 64 random bytes. Empty: one is made.", PT: "whsec_ e base64 de 24 a 64 bytes aleatórios. Vazio: um é criado."}

	wholeFault         = lang.Text{EN: "This must be a whole number.", PT: "Deve ser um número inteiro."}
	numberFault        = lang.Text{EN: "This must be a number.", PT: "Deve ser um número."}
	pairFault          = lang.Text{EN: "This line is not a name, a colon and a value, or its name is there twice: %s", PT: "Esta linha não é um nome, dois-pontos e um valor, ou o nome aparece duas vezes: %s"}
	twiceFault         = lang.Text{EN: "%s is among the other headers, too.", PT: "%s também está entre os outros cabeçalhos."}
	unknownTenantFault = lang.Text{EN: "There is no such tenant. Create it first, or correct the name.", PT: "Não existe esse tenant. Crie-o antes, ou corrija o nome."}
	unknownPolicyFault = lang.Text{EN: "There is no such policy.", PT: "Não existe essa política."}

	afterwardsTitle  = lang.Text{EN: "What happens then", PT: "O que acontece depois"}
	afterwardsSecret = lang.Text{EN: "The next page shows the signing secret, this once, with code that verifies it. Have a place for it at hand.", PT: "A próxima página mostra o segredo de assinatura, só uma vez, com código que o verifica. Tenha à mão onde guardá-lo."}
	afterwardsEvents = lang.Text{EN: "It receives what is published from then on. Older events are not sent.", PT: "Ele recebe o que for publicado a partir daí. Eventos mais antigos não são enviados."}
	afterwardsTest   = lang.Text{EN: "Send a test event from its page to see whether it answers.", PT: "Envie um evento de teste pela página dele para ver se responde."}
)

// Secrets.
var (
	createdTitle     = lang.Text{EN: "The endpoint is there", PT: "O endpoint está criado"}
	rotatedTitle     = lang.Text{EN: "The new secret signs", PT: "O novo segredo já assina"}
	secretOnceTitle  = lang.Text{EN: "Copy the signing secret now", PT: "Copie agora o segredo de assinatura"}
	secretOnceAdvice = lang.Text{EN: "It is shown this once: nobody can see it again, not even here. If it gets lost, rotate it.", PT: "Ele é mostrado só esta vez: ninguém pode vê-lo de novo, nem aqui. Se for perdido, gire-o."}
	shownBeforeText  = lang.Text{EN: "This form was sent before, and its secret was shown then. If it is lost, rotate it on the endpoint's page.", PT: "Este formulário já foi enviado, e o segredo foi mostrado então. Se foi perdido, gire-o na página do endpoint."}
	overlapUntilText = lang.Text{EN: "The older secrets go on signing beside it until", PT: "Os segredos mais antigos continuam assinando junto até"}
	overlapAdvice    = lang.Text{EN: "Give the receiver the new one before then.", PT: "Entregue o novo ao receptor antes disso."}
	noOverlapText    = lang.Text{EN: "The older secrets do not sign any more: the receiver must know the new one at once.", PT: "Os segredos mais antigos já não assinam: o receptor precisa conhecer o novo imediatamente."}
	toEndpointText   = lang.Text{EN: "To the endpoint", PT: "Ir para o endpoint"}
	verifyTitle      = lang.Text{EN: "How to verify", PT: "Como verificar"}
	verifyAdvice     = lang.Text{EN: "The receiver checks each request before it believes it: with the body exactly as it came, before any parsing, and with every secret that is live.", PT: "O receptor confere cada requisição antes de acreditar nela: com o corpo exatamente como chegou, antes de qualquer interpretação, e com todos os segredos ativos."}
	secretsCaption   = lang.Text{EN: "Secrets that sign, the newest first", PT: "Segredos que assinam, os mais novos primeiro"}
	secretsAdvice    = lang.Text{EN: "Every attempt is signed with each of these. Their values cannot be read.", PT: "Cada tentativa é assinada com cada um destes. Os valores não podem ser lidos."}
	secretIDText     = lang.Text{EN: "Secret", PT: "Segredo"}
	signsText        = lang.Text{EN: "Signs", PT: "Assina"}
	runsOutText      = lang.Text{EN: "Signs, runs out", PT: "Assina, vai expirar"}
	expiresText      = lang.Text{EN: "Until", PT: "Até"}
	untilRevokedText = lang.Text{EN: "it is revoked", PT: "ser revogado"}
	actionsText      = lang.Text{EN: "Actions", PT: "Ações"}
	noSecretsTitle   = lang.Text{EN: "It has no secret", PT: "Ele não tem segredo"}
	noSecretsAdvice  = lang.Text{EN: "Nothing is ever sent unsigned, so every attempt fails. Rotate to make one.", PT: "Nada é enviado sem assinatura, então toda tentativa falha. Gire para criar um."}
	rotateText       = lang.Text{EN: "Rotate", PT: "Girar"}
	rotateQuestion   = lang.Text{EN: "Make a new secret?", PT: "Criar um novo segredo?"}
	rotateAdvice     = lang.Text{EN: "A new secret begins to sign at once. The older ones sign beside it for the overlap, so that no webhook is refused while the receiver changes over.", PT: "Um novo segredo começa a assinar na hora. Os mais antigos assinam junto durante a sobreposição, para que nenhum webhook seja recusado enquanto o receptor troca."}
	overlapText      = lang.Text{EN: "Overlap", PT: "Sobreposição"}
	overlapHelp      = lang.Text{EN: "How long the older secrets go on signing. After a leak choose the shortest that the receiver can keep up with.", PT: "Por quanto tempo os segredos mais antigos continuam assinando. Depois de um vazamento, escolha o menor que o receptor consiga acompanhar."}
	atOnceText       = lang.Text{EN: "none: they stop at once", PT: "nenhuma: param na hora"}
	revokeText       = lang.Text{EN: "Revoke", PT: "Revogar"}
	revokeQuestion   = lang.Text{EN: "Revoke this secret?", PT: "Revogar este segredo?"}
	revokeAdvice     = lang.Text{EN: "It stops signing at once. A receiver that knows no other will refuse everything.", PT: "Ele para de assinar na hora. Um receptor que não conhece outro recusará tudo."}
	revokeLastAdvice = lang.Text{EN: "This is the last one. Without a secret nothing is sent, and every attempt fails. Rotate instead.", PT: "Este é o último. Sem segredo nada é enviado, e toda tentativa falha. Gire em vez disso."}
	revokedText      = lang.Text{EN: "It does not sign any more.", PT: "Ele não assina mais."}
	rotationTitle    = lang.Text{EN: "How to change a secret without losing anything", PT: "Como trocar um segredo sem perder nada"}
	rotationSteps    = []lang.Text{
		{EN: "Rotate here, with an overlap, and copy the new secret.", PT: "Gire aqui, com sobreposição, e copie o novo segredo."},
		{EN: "Give the receiver the new secret beside the old one, or in its place: within the overlap either verifies.", PT: "Entregue ao receptor o novo segredo junto do antigo, ou no lugar dele: na sobreposição ambos verificam."},
		{EN: "Send a test event, and see that it is taken.", PT: "Envie um evento de teste e veja se é recebido."},
		{EN: "When the overlap is over, the old secret stops by itself.", PT: "Quando a sobreposição acaba, o segredo antigo para sozinho."},
	}
)
