package dashboard

import "github.com/malotehq/malote/internal/dashboard/lang"

// Logging in and out.
var (
	logInText         = lang.Text{EN: "Log in", PT: "Entrar"}
	nameText          = lang.Text{EN: "E-mail or name", PT: "E-mail ou nome"}
	passwordText      = lang.Text{EN: "Password", PT: "Senha"}
	wrongLoginText    = lang.Text{EN: "The name or the password is not right.", PT: "O nome ou a senha não está certo."}
	tooManyText       = lang.Text{EN: "Too many tries. Try again in %s.", PT: "Tentativas demais. Tente de novo em %s."}
	tooManyShortText  = lang.Text{EN: "Too many tries. Wait a minute.", PT: "Tentativas demais. Espere um minuto."}
	loggedOutText     = lang.Text{EN: "You are logged out.", PT: "Você saiu."}
	forgottenText     = lang.Text{EN: "Forgotten the password? An administrator can give you a new link.", PT: "Esqueceu a senha? Um administrador pode lhe dar um novo link."}
	insecureText      = lang.Text{EN: "This connection is not encrypted, so browsers keep no session. Open this page over https, or on the server itself.", PT: "Esta conexão não é criptografada, e os navegadores não guardam a sessão. Abra esta página por https, ou no próprio servidor."}
	sessionHelpText   = lang.Text{EN: "Whoever is idle for 12 hours is logged out.", PT: "Quem fica parado por 12 horas é desconectado."}
	wrongPasswordText = lang.Text{EN: "This is not your password.", PT: "Esta não é a sua senha."}
)

// Choosing a password.
var (
	choosePasswordText = lang.Text{EN: "Choose your password", PT: "Escolha sua senha"}
	firstTitle         = lang.Text{EN: "Welcome to Malote", PT: "Boas-vindas ao Malote"}
	firstAdvice        = lang.Text{EN: "Nobody can log in yet. You become the first administrator, who can invite everybody else.", PT: "Ninguém pode entrar ainda. Você será a primeira pessoa administradora, e poderá convidar as demais."}
	welcomeAdvice      = lang.Text{EN: "Choose a password for %s.", PT: "Escolha uma senha para %s."}
	newPasswordText    = lang.Text{EN: "New password", PT: "Nova senha"}
	againText          = lang.Text{EN: "Once more", PT: "Mais uma vez"}
	passwordHelpText   = lang.Text{EN: "At least 15 characters. A few words that do not belong together are good.", PT: "Pelo menos 15 caracteres. Algumas palavras sem relação entre si são uma boa escolha."}
	saveText           = lang.Text{EN: "Save and log in", PT: "Salvar e entrar"}
	nameFaultText      = lang.Text{EN: "Give a name of 1 to 200 characters.", PT: "Dê um nome de 1 a 200 caracteres."}
	passwordShortText  = lang.Text{EN: "It needs at least 15 characters.", PT: "Precisa de pelo menos 15 caracteres."}
	passwordLongText   = lang.Text{EN: "It may have at most 256 characters.", PT: "Pode ter no máximo 256 caracteres."}
	passwordWeakText   = lang.Text{EN: "It is too easy to guess.", PT: "É fácil demais de adivinhar."}
	passwordAgainText  = lang.Text{EN: "The two are not the same.", PT: "As duas não são iguais."}
	welcomeDoneText    = lang.Text{EN: "Your password is set. You are logged in.", PT: "Sua senha foi definida. Você entrou."}
	linkOverTitle      = lang.Text{EN: "This link does not work any more", PT: "Este link não funciona mais"}
	linkOverAdvice     = lang.Text{EN: "Links work once, and for 24 hours. Ask an administrator for a new one, or run:", PT: "Links funcionam uma vez, por 24 horas. Peça um novo a um administrador, ou execute:"}
	toLoginText        = lang.Text{EN: "To the log-in", PT: "Ir para a entrada"}
)

// The account.
var (
	accountTitle        = lang.Text{EN: "Your account", PT: "Sua conta"}
	accountNameText     = lang.Text{EN: "Name", PT: "Nome"}
	accountRoleText     = lang.Text{EN: "Role", PT: "Papel"}
	changePasswordText  = lang.Text{EN: "Change the password", PT: "Trocar a senha"}
	currentPasswordText = lang.Text{EN: "Present password", PT: "Senha atual"}
	changeText          = lang.Text{EN: "Change", PT: "Trocar"}
	passwordChangedText = lang.Text{EN: "The password is changed, and all your other sessions are closed.", PT: "A senha foi trocada, e todas as suas outras sessões foram encerradas."}
	sessionsText        = lang.Text{EN: "Other sessions", PT: "Outras sessões"}
	sessionsAdvice      = lang.Text{EN: "If you left yourself logged in elsewhere, log out there from here.", PT: "Se você ficou conectado em outro lugar, saia de lá por aqui."}
	closeSessionsText   = lang.Text{EN: "Log out everywhere else", PT: "Sair em todos os outros lugares"}
	sessionsClosedText  = lang.Text{EN: "All your other sessions are closed.", PT: "Todas as suas outras sessões foram encerradas."}
)

// Failures.
var (
	missingTitle      = lang.Text{EN: "Not found", PT: "Não encontrado"}
	missingAdvice     = lang.Text{EN: "There is nothing at this address, it is no longer kept, or it is not yours. Check the id, or search for it.", PT: "Não há nada neste endereço, já não é guardado, ou não é seu. Confira o id, ou faça uma busca."}
	forbiddenTitle    = lang.Text{EN: "Not allowed", PT: "Não permitido"}
	roleAdvice        = lang.Text{EN: "Your role does not allow this. An administrator can change it under Settings.", PT: "Seu papel não permite isso. Um administrador pode alterá-lo em Configurações."}
	formTitle         = lang.Text{EN: "That form is out of date", PT: "Esse formulário perdeu a validade"}
	formAdvice        = lang.Text{EN: "Nothing was done. You may have logged in anew since the page was opened, or the request came from elsewhere. Go back, load the page again and retry.", PT: "Nada foi feito. Talvez você tenha entrado de novo depois de abrir a página, ou o pedido veio de outro lugar. Volte, recarregue a página e tente de novo."}
	refusedTitle      = lang.Text{EN: "That cannot be done", PT: "Isso não pode ser feito"}
	refusedAdvice     = lang.Text{EN: "The request was refused:", PT: "O pedido foi recusado:"}
	internalTitle     = lang.Text{EN: "Something went wrong here", PT: "Algo deu errado aqui"}
	internalAdvice    = lang.Text{EN: "It is our mistake, not yours. If it happens again, look for the request id in the log of malote.", PT: "O erro é nosso, não seu. Se acontecer de novo, procure o id do pedido no log do malote."}
	unavailableTitle  = lang.Text{EN: "The database does not answer", PT: "O banco de dados não responde"}
	unavailableAdvice = lang.Text{EN: "Nothing is lost. Load the page again in a few seconds.", PT: "Nada foi perdido. Recarregue a página em alguns segundos."}
	requestIDText     = lang.Text{EN: "Request id", PT: "Id do pedido"}
	homeText          = lang.Text{EN: "To the first page", PT: "Ir para a primeira página"}
)
