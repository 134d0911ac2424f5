package api

import (
	"context"
	"net/http"

	"github.com/malotehq/malote/internal/delivery"
)

func (s *server) registerUsers(r *routes) {
	handle(r, route{
		id: "create-user", method: http.MethodPost, path: "/v1/users", tag: tagUsers, need: mayAdmin,
		status: http.StatusCreated, okMeans: aRepeat, summary: "Invite a user",
		description: "The answer holds a one-time link, this once, that lets its reader set the user's password. " +
			"If the answer got lost, make another link.",
		sample: `{"name": "ana@example.com", "role": "support"}`, codes: []Code{UserExists, CreatedAndDeleted},
	}, s.createUser)
	handle(r, route{
		id: "list-users", method: http.MethodGet, path: "/v1/users", tag: tagUsers, need: mayAdmin,
		summary: "List users", description: "Oldest first, disabled ones included.", sample: "name=ana@example.com",
	}, s.listUsers)
	handle(r, route{
		id: "get-user", method: http.MethodGet, path: "/v1/users/{id}", tag: tagUsers, need: mayAdmin,
		summary: "Get a user",
	}, s.getUser)
	handle(r, route{
		id: "update-user", method: http.MethodPatch, path: "/v1/users/{id}", tag: tagUsers, need: mayAdmin,
		summary: "Change a user's role", description: "What is left out or `null` stays as it is. The last administrator who can log in stays one.",
		sample: `{"role": "admin"}`, codes: []Code{LastAdmin},
	}, s.updateUser)
	handle(r, route{
		id: "disable-user", method: http.MethodPost, path: "/v1/users/{id}/disable", tag: tagUsers, need: mayAdmin,
		summary: "Disable a user", description: "The user is logged out everywhere at once, and cannot log in any more.", codes: []Code{LastAdmin},
	}, s.disableUser)
	handle(r, route{
		id: "enable-user", method: http.MethodPost, path: "/v1/users/{id}/enable", tag: tagUsers, need: mayAdmin,
		summary: "Enable a user", description: "The user may log in again, with the password from before.",
	}, s.enableUser)
	handle(r, route{
		id: "renew-user-link", method: http.MethodPost, path: "/v1/users/{id}/link", tag: tagUsers, need: mayAdmin,
		summary: "Make a one-time link for a user",
		description: "For who forgot the password, or whose invitation ran out. Links from before stop working at once; " +
			"a password from before goes on working until the link is used, which also ends the user's sessions.",
		codes: []Code{UserDisabled},
	}, s.renewUserLink)
	handle(r, route{
		id: "delete-user", method: http.MethodDelete, path: "/v1/users/{id}", tag: tagUsers, need: mayAdmin,
		summary: "Delete a user", description: "The user is logged out at once. What the user did stays in the audit log.", codes: []Code{LastAdmin},
	}, s.deleteUser)
}

func (s *server) createUser(ctx context.Context, input *createUserInput) (*createUserAnswer, error) {
	if err := checkUserName(input.Body.Name); err != nil {
		return nil, err
	}
	user, created, err := s.Users.CreateUser(ctx, input.Body.Name, input.Body.Role, input.once(ctx))
	if err != nil {
		return nil, err
	}
	answer := &createUserAnswer{Status: createdStatus(created), Body: showUser(user)}
	changedIf(ctx, created, subjectOfUser(user, ", role: "+string(user.Role)))
	if !created {
		return answer, nil
	}
	// Should this fail, the user is there without a link, and can be given one.
	link, err := s.Users.CreateUserLink(ctx, user.ID)
	if err != nil {
		return nil, err
	}
	answer.Body.Link = new(s.showUserLink(link))
	return answer, nil
}

func (s *server) listUsers(ctx context.Context, input *listUsersInput) (*listAnswer[userJSON], error) {
	list := listOf("users", input.Name)
	after, err := list.afterID(input.Cursor)
	if err != nil {
		return nil, err
	}
	users, more, err := s.findUsers(ctx, input.Name, Page{After: after, Limit: input.Limit})
	if err != nil {
		return nil, err
	}
	answer := &listAnswer[userJSON]{Body: listJSON[userJSON]{Data: shown(users, showUser)}}
	if more {
		answer.Body.NextCursor = list.idCursor(users[len(users)-1].ID)
	}
	return answer, nil
}

func (s *server) findUsers(ctx context.Context, name string, page Page) (_ []User, more bool, _ error) {
	if name == "" {
		return s.Users.Users(ctx, page)
	}
	user, found, err := s.Users.UserNamed(ctx, name)
	if err != nil || !found {
		return nil, false, err
	}
	return []User{user}, false, nil
}

func (s *server) getUser(ctx context.Context, input *userPath) (*userAnswer, error) {
	user, err := s.userAt(ctx, input)
	return answerUser(user, err)
}

func (s *server) updateUser(ctx context.Context, input *updateUserInput) (*userAnswer, error) {
	at := &userPath{input.ID}
	if input.Body.Role == nil {
		changedNothing(ctx)
		return s.getUser(ctx, at)
	}
	return s.changeUser(ctx, at, UserPatch{Role: input.Body.Role}, ", role: "+string(*input.Body.Role))
}

func (s *server) disableUser(ctx context.Context, input *userPath) (*userAnswer, error) {
	return s.changeUser(ctx, input, UserPatch{Disabled: new(true)}, "")
}

func (s *server) enableUser(ctx context.Context, input *userPath) (*userAnswer, error) {
	return s.changeUser(ctx, input, UserPatch{Disabled: new(false)}, "")
}

func (s *server) changeUser(ctx context.Context, at *userPath, patch UserPatch, detail string) (*userAnswer, error) {
	id, err := idAt(delivery.UserPrefix, at.ID)
	if err != nil {
		return nil, err
	}
	user, err := s.Users.UpdateUser(ctx, id, patch)
	if err == nil {
		changed(ctx, subjectOfUser(user, detail))
	}
	return answerUser(user, err)
}

func (s *server) deleteUser(ctx context.Context, input *userPath) (*struct{}, error) {
	user, err := s.userAt(ctx, input)
	if err != nil {
		return nil, err
	}
	if err := s.Users.DeleteUser(ctx, user.ID); err != nil {
		return nil, err
	}
	changed(ctx, subjectOfUser(user, ""))
	return nil, nil
}

func (s *server) renewUserLink(ctx context.Context, input *userPath) (*userLinkAnswer, error) {
	user, err := s.userAt(ctx, input)
	if err != nil {
		return nil, err
	}
	if !user.DisabledAt.IsZero() {
		return nil, problem(UserDisabled, "") // a link would not open
	}
	link, err := s.Users.CreateUserLink(ctx, user.ID)
	if err != nil {
		return nil, err
	}
	changed(ctx, subjectOfUser(user, ""))
	return &userLinkAnswer{s.showUserLink(link)}, nil
}

func (s *server) userAt(ctx context.Context, at *userPath) (User, error) {
	id, err := idAt(delivery.UserPrefix, at.ID)
	if err != nil {
		return User{}, err
	}
	return s.Users.User(ctx, id)
}

func answerUser(user User, err error) (*userAnswer, error) {
	if err != nil {
		return nil, err
	}
	return &userAnswer{showUser(user)}, nil
}
