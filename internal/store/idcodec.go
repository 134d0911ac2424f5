package store

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/malotehq/malote/internal/delivery"
)

// registerID teaches a connection to send and read delivery.ID as uuid, alone
// and in arrays. The zero id is sent as NULL and NULL is read as the zero id.
func registerID(types *pgtype.Map) {
	types.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{wrapIDForEncoding}, types.TryWrapEncodePlanFuncs...)
	types.TryWrapScanPlanFuncs = append([]pgtype.TryWrapScanPlanFunc{wrapIDForScanning}, types.TryWrapScanPlanFuncs...)
}

type idValue delivery.ID

// UUIDValue implements pgtype.UUIDValuer.
func (v idValue) UUIDValue() (pgtype.UUID, error) {
	return pgtype.UUID{Bytes: v, Valid: !delivery.ID(v).IsZero()}, nil
}

type idScanner delivery.ID

// ScanUUID implements pgtype.UUIDScanner.
func (s *idScanner) ScanUUID(v pgtype.UUID) error {
	*s = idScanner(v.Bytes)
	return nil
}

type idEncodePlan struct{ next pgtype.EncodePlan }

func (p *idEncodePlan) SetNext(next pgtype.EncodePlan) { p.next = next }

func (p *idEncodePlan) Encode(value any, buf []byte) ([]byte, error) {
	return p.next.Encode(idValue(value.(delivery.ID)), buf)
}

func wrapIDForEncoding(value any) (pgtype.WrappedEncodePlanNextSetter, any, bool) {
	if id, ok := value.(delivery.ID); ok {
		return &idEncodePlan{}, idValue(id), true
	}
	return nil, nil, false
}

type idScanPlan struct{ next pgtype.ScanPlan }

func (p *idScanPlan) SetNext(next pgtype.ScanPlan) { p.next = next }

func (p *idScanPlan) Scan(src []byte, target any) error {
	id, ok := target.(*delivery.ID)
	if !ok {
		return fmt.Errorf("store: cannot read an id into %T", target)
	}
	return p.next.Scan(src, (*idScanner)(id))
}

func wrapIDForScanning(target any) (pgtype.WrappedScanPlanNextSetter, any, bool) {
	if id, ok := target.(*delivery.ID); ok {
		return &idScanPlan{}, (*idScanner)(id), true
	}
	return nil, nil, false
}
