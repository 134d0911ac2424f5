package store

type tenantCache struct{}
func newTenantCache() *tenantCache { return nil }
type endpointCache struct{}
func newEndpointCache() *endpointCache { return nil }
