package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/malotehq/malote/internal/delivery"
)

// userStore is memory's part for users.
type userStore struct {
	users map[delivery.ID]User
	links int
}

var (
	errUserExists = errors.New("a user has this name")
	errLastAdmin  = errors.New("the last administrator")
)

func newUserStore() userStore { return userStore{users: map[delivery.ID]User{}} }

func (m *memory) CreateUser(_ context.Context, name string, role UserRole, once Once) (User, bool, error) {
	end, err := m.begin()
	defer end()
	id, first, onceErr := m.first("user:", once, newID(""))
	if err = errors.Join(err, onceErr); err == nil && !first {
		return m.users[id], false, nil
	}
	for _, user := range m.users {
		if strings.EqualFold(user.Name, name) {
			err = errors.Join(err, errUserExists)
		}
	}
	if err != nil {
		return User{}, false, err
	}
	user := User{ID: id, Name: name, Role: role, CreatedAt: time.Now()}
	m.users[user.ID] = user
	return user, true, nil
}

func (m *memory) User(_ context.Context, id delivery.ID) (User, error) {
	end, err := m.begin()
	defer end()
	user, known := m.users[id]
	if err == nil && !known {
		err = errMissing
	}
	return user, err
}

func (m *memory) UserNamed(_ context.Context, name string) (User, bool, error) {
	end, err := m.begin()
	defer end()
	if err = errors.Join(err, textual(name)); err != nil {
		return User{}, false, err
	}
	for _, user := range m.users {
		if strings.EqualFold(user.Name, name) {
			return user, true, nil
		}
	}
	return User{}, false, nil
}

func (m *memory) Users(_ context.Context, page Page) ([]User, bool, error) {
	end, err := m.begin()
	defer end()
	var users []User
	for _, user := range m.users {
		users = append(users, user)
	}
	users, more := cutPage(users, page, func(u User) delivery.ID { return u.ID })
	return users, more, err
}

// admins counts those who could let others in.
func (m *memory) admins() (n int) {
	for _, user := range m.users {
		if user.Role == RoleAdmin && user.DisabledAt.IsZero() {
			n++
		}
	}
	return n
}

// changeUser puts the user back if no administrator would be left.
func (m *memory) changeUser(id delivery.ID, change func(*User)) (User, error) {
	end, err := m.begin()
	defer end()
	before, known := m.users[id]
	if err == nil && !known {
		err = errMissing
	}
	if err != nil {
		return User{}, err
	}
	had, user := m.admins(), before
	change(&user)
	m.users[id] = user
	if user.Name == "" {
		delete(m.users, id)
	}
	if had > 0 && m.admins() == 0 {
		m.users[id] = before
		return User{}, errLastAdmin
	}
	return user, nil
}

func (m *memory) UpdateUser(_ context.Context, id delivery.ID, patch UserPatch) (User, error) {
	return m.changeUser(id, func(u *User) {
		if patch.Role != nil {
			u.Role = *patch.Role
		}
		switch {
		case patch.Disabled == nil:
		case *patch.Disabled:
			u.DisabledAt = time.Now()
		default:
			u.DisabledAt = time.Time{}
		}
	})
}

func (m *memory) DeleteUser(_ context.Context, id delivery.ID) error {
	_, err := m.changeUser(id, func(u *User) { *u = User{} })
	return err
}

func (m *memory) CreateUserLink(_ context.Context, id delivery.ID) (UserLink, error) {
	end, err := m.begin()
	defer end()
	if _, known := m.users[id]; err == nil && !known {
		err = errMissing
	}
	m.links++
	return UserLink{Path: fmt.Sprintf("/welcome/s3cret-%d", m.links), Lasts: 24 * time.Hour}, err
}

func (m *memory) About(context.Context) (About, error) {
	end, err := m.begin()
	defer end()
	return About{
		Version: "1.2.3", Roles: []string{"api"}, DatabaseVersion: "15.8", Schema: 8, Retention: 720 * time.Hour, MaxBodyBytes: 4096,
		PublicURL: "https://hooks.example.com",
	}, err
}
