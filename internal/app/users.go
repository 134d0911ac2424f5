package app

import (
	"context"
	"errors"

	"github.com/malotehq/malote/internal/api"
	"github.com/malotehq/malote/internal/delivery"
	"github.com/malotehq/malote/internal/store/accounts"
	"github.com/malotehq/malote/internal/store/registry"
)

// usersAPI shows the dashboard's users to the API in the API's own words.
type usersAPI struct {
	accounts *accounts.Accounts
	registry *registry.Registry
}

// onceUser is what idempotency keys of users are unique within; no tenant's slug
// has a colon.
const onceUser = "user:"

func userOf(u accounts.User) api.User {
	return api.User{
		ID: u.ID, Name: u.Name, Role: api.UserRole(u.Role), External: u.External,
		CreatedAt: u.CreatedAt, PasswordAt: u.PasswordAt, SeenAt: u.SeenAt, DisabledAt: u.DisabledAt,
	}
}

// CreateUser implements api.Users.
func (a usersAPI) CreateUser(ctx context.Context, name string, role api.UserRole, once api.Once) (_ api.User, created bool, _ error) {
	if once.Key == "" {
		user, err := a.accounts.Create(ctx, name, accounts.Role(role))
		return userOf(user), err == nil, err
	}
	id, first, err := a.registry.FirstID(ctx, 0, onceUser, registry.Once(once))
	switch {
	case err != nil:
		return api.User{}, false, err
	case !first:
		user, err := a.createdBefore(ctx, id, name)
		return userOf(user), false, err
	}
	user, err := a.accounts.CreateAs(ctx, id, name, accounts.Role(role))
	return userOf(user), err == nil, err
}

// createdBefore is the user whom the first request with an idempotency key made.
// It may also have been refused, or have died on the way.
func (a usersAPI) createdBefore(ctx context.Context, id delivery.ID, name string) (accounts.User, error) {
	user, err := a.accounts.User(ctx, id)
	if !errors.Is(err, accounts.ErrNotFound) {
		return user, err
	}
	switch _, err := a.accounts.UserNamed(ctx, name); {
	case err == nil:
		return accounts.User{}, accounts.ErrNameTaken
	case errors.Is(err, accounts.ErrNotFound):
		return accounts.User{}, registry.ErrCreatedAndDeleted
	default:
		return accounts.User{}, err
	}
}

// User implements api.Users.
func (a usersAPI) User(ctx context.Context, id delivery.ID) (api.User, error) {
	user, err := a.accounts.User(ctx, id)
	return userOf(user), err
}

// UserNamed implements api.Users.
func (a usersAPI) UserNamed(ctx context.Context, name string) (api.User, bool, error) {
	user, err := a.accounts.UserNamed(ctx, name)
	if errors.Is(err, accounts.ErrNotFound) {
		return api.User{}, false, nil
	}
	return userOf(user), err == nil, err
}

// Users implements api.Users.
func (a usersAPI) Users(ctx context.Context, page api.Page) ([]api.User, bool, error) {
	list, more, err := a.accounts.Users(ctx, accounts.Page(page))
	return mapAll(list, userOf), more, err
}

// UpdateUser implements api.Users.
func (a usersAPI) UpdateUser(ctx context.Context, id delivery.ID, patch api.UserPatch) (api.User, error) {
	change := accounts.Patch{Disabled: patch.Disabled}
	if patch.Role != nil {
		change.Role = new(accounts.Role(*patch.Role))
	}
	user, err := a.accounts.Update(ctx, id, change)
	return userOf(user), err
}

// DeleteUser implements api.Users.
func (a usersAPI) DeleteUser(ctx context.Context, id delivery.ID) error {
	return a.accounts.Delete(ctx, id)
}

// CreateUserLink implements api.Users.
func (a usersAPI) CreateUserLink(ctx context.Context, id delivery.ID) (api.UserLink, error) {
	token, hash := newLinkToken()
	if err := a.accounts.CreateLink(ctx, hash, id); err != nil {
		return api.UserLink{}, err
	}
	return api.UserLink{Path: welcomePath + token, Lasts: accounts.LinkTime}, nil
}
