package demo

// The policies of the cast.
const (
	standard  = "standard"
	fairQueue = "fair-queue"
)

// tenant is a customer of the platform that the demo plays.
type tenant struct {
	slug  string
	name  string
	roles []role
}

// role is an endpoint before it exists.
type role struct {
	name      string
	types     []string // what it subscribes to
	character character
	policy    string
}

// The subscriptions.
var (
	payments = []string{"pix.*"}
	orders   = []string{"order.*"}
	invoices = []string{"invoice.*"}
	messages = []string{"message.*"}
	pushes   = []string{"repo.*"}
	signals  = []string{"heartbeat"}
	all      = []string{} // no list means every type
)

// cast is everybody. What hangs for long subscribes to what is rare, as its
// owner would soon have it.
var cast = []tenant{
	{"loja-aurora", "Loja Aurora", []role{
		{"pagamentos", payments, busy, standard}, {"pedidos", orders, fast, standard}, {"notas", invoices, fast, standard},
		{"atendimento", messages, fast, standard}, {"auditoria", all, fast, fairQueue},
	}},
	{"padaria-trigo-bom", "Padaria Trigo Bom", []role{
		{"pagamentos", payments, fast, standard}, {"pedidos", orders, outage, standard}, {"mensagens", messages, fast, standard},
		{"painel", append(invoices, signals...), fast, standard}, {"arquivo", all, fast, fairQueue},
	}},
	{"clinica-vida", "Clínica Vida", []role{ // nobody here wants orders: they are skipped
		{"agenda", messages, silent, standard}, {"cobranca", invoices, fast, standard}, {"recepcao", messages, fast, standard},
		{"pagamentos", payments, fast, standard}, {"sinais", signals, fast, standard},
	}},
	{"escola-horizonte", "Escola Horizonte", []role{
		{"secretaria", messages, gone, standard}, {"mensalidades", invoices, slow, fairQueue}, {"pagamentos", payments, fast, standard},
		{"cantina", orders, fast, standard}, {"registro", all, fast, standard},
	}},
	{"transportes-ligeiro", "Transportes Ligeiro", []role{
		{"rastreio", orders, resetting, standard}, {"cobranca", invoices, late, fairQueue}, {"pagamentos", payments, fast, standard},
		{"motoristas", messages, fast, standard}, {"central", all, fast, standard}, {"frota", signals, fast, standard},
	}},
	{"banco-mirim", "Banco Mirim", []role{
		{"conciliacao", payments, fast, fairQueue}, {"extrato", payments, resetOutage, standard}, {"fraude", payments, fast, standard},
		{"avisos", messages, fast, standard}, {"faturas", invoices, fast, standard}, {"auditoria", all, fast, standard},
	}},
	{"estudio-pixel", "Estúdio Pixel", []role{
		{"ci", pushes, fast, standard}, {"espelho", pushes, tooLarge, fairQueue}, {"chat", messages, moved, standard},
		{"loja", orders, fast, standard}, {"painel", all, fast, standard},
	}},
	{"mercado-central", "Mercado Central", []role{
		{"caixa", payments, silent, fairQueue}, {"estoque", orders, fast, standard}, {"entregas", orders, unavailable, standard},
		{"ofertas", messages, dripping, fairQueue}, {"notas", invoices, fast, standard}, {"registro", all, fast, fairQueue},
	}},
	{"hotel-maresia", "Hotel Maresia", []role{
		{"reservas", orders, fast, standard}, {"recepcao", messages, temporary, standard}, {"pagamentos", payments, fast, standard},
		{"notas", invoices, slow, fairQueue}, {"vigia", append(signals, pushes...), fast, standard},
	}},
	{"editora-palavra", "Editora Palavra", []role{
		{"assinaturas", invoices, late, standard}, {"grafica", orders, breaking, standard}, {"leitores", messages, fast, standard},
		{"pagamentos", payments, fast, standard}, {"acervo", all, fast, standard},
	}},
	{"agro-semear", "Agro Semear", []role{
		{"safra", orders, broken, standard}, {"cooperativa", payments, fast, fairQueue}, {"campo", messages, fast, fairQueue},
		{"notas", invoices, fast, fairQueue}, {"estacao", signals, fast, fairQueue}, {"arquivo", all, fast, fairQueue},
	}},
	{"jogos-capivara", "Jogos Capivara", []role{
		{"loja", orders, gone, fairQueue}, {"chat", messages, resetting, fairQueue}, {"suporte", messages, fast, standard},
		{"passes", payments, busy, standard}, {"build", pushes, fast, standard}, {"telemetria", append(signals, invoices...), outage, standard},
	}},
}
