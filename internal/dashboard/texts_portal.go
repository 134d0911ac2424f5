package dashboard

import "github.com/malotehq/malote/internal/dashboard/lang"

// The portal's doors.
var (
	portalTitle      = lang.Text{EN: "Your webhooks", PT: "Seus webhooks"}
	portalAdvice     = lang.Text{EN: "This link opens the webhooks of %s.", PT: "Este link abre os webhooks de %s."}
	portalOpenText   = lang.Text{EN: "Open", PT: "Abrir"}
	portalUserText   = lang.Text{EN: "You are logged in here as %s. Opening the link logs you out.", PT: "Você entrou aqui como %s. Abrir o link encerra essa sessão."}
	portalOverTitle  = lang.Text{EN: "This way in is closed", PT: "Esta entrada está fechada"}
	portalOverAdvice = lang.Text{EN: "Links work for a short time, and sessions end after two hours. Go back to where you came from and open the webhooks again from there.", PT: "Os links funcionam por pouco tempo, e as sessões terminam depois de duas horas. Volte para onde você estava e abra os webhooks de novo por lá."}
	portalLeftTitle  = lang.Text{EN: "You have left", PT: "Você saiu"}
	portalLeftAdvice = lang.Text{EN: "You can close this page.", PT: "Você pode fechar esta página."}
)
