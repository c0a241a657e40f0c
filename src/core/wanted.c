/* Claims on virtual servers: usually one each; where there are more, the oldest Service has it. */
#include "core/wanted.h"

#include <string.h>

struct claims {
	struct vs_key key;
	VEC(struct wish *) wishes; /* the one that has it first */
	UT_hash_handle hh;
};

struct wanted {
	struct claims *claims;
	struct wish *wishes;
};

struct wanted *wanted_new(void)
{
	return xzalloc(sizeof(struct wanted));
}

static void wish_free(struct wish *w)
{
	compiled_free(w->compiled);
	free(w->service);
	free(w);
}

void wanted_free(struct wanted *wanted)
{
	struct claims *c, *c_next;
	struct wish *w, *w_next;

	if (!wanted)
		return;
	HASH_ITER(hh, wanted->claims, c, c_next) {
		HASH_DEL(wanted->claims, c);
		free(c->wishes.v);
		free(c);
	}
	HASH_ITER(hh, wanted->wishes, w, w_next) {
		HASH_DEL(wanted->wishes, w);
		wish_free(w);
	}
	free(wanted);
}

static bool older(const struct wish *a, const struct wish *b)
{
	if (a->created != b->created)
		return a->created < b->created;
	return strcmp(a->service, b->service) < 0;
}

static void unclaim(struct wanted *wanted, struct wish *w, const struct vs_key *key)
{
	struct claims *c;

	HASH_FIND(hh, wanted->claims, key, sizeof(*key), c);
	for (size_t i = 0; c && i < c->wishes.n; i++) {
		if (c->wishes.v[i] != w)
			continue;
		memmove(&c->wishes.v[i], &c->wishes.v[i + 1], (c->wishes.n - i - 1) * sizeof(*c->wishes.v));
		c->wishes.n--;
		break;
	}
	if (c && c->wishes.n == 0) {
		HASH_DEL(wanted->claims, c);
		free(c->wishes.v);
		free(c);
	}
}

static void claim(struct wanted *wanted, struct wish *w, const struct vs_key *key, const struct wanted_listener *listener)
{
	struct claims *c;
	size_t i;

	HASH_FIND(hh, wanted->claims, key, sizeof(*key), c);
	if (!c) {
		c = xzalloc(sizeof(*c));
		c->key = *key;
		HASH_ADD(hh, wanted->claims, key, sizeof(c->key), c);
	}
	(void)vec_push(&c->wishes);
	for (i = c->wishes.n - 1; i && older(w, c->wishes.v[i - 1]); i--)
		c->wishes.v[i] = c->wishes.v[i - 1];
	c->wishes.v[i] = w;
	if (c->wishes.n > 1)
		listener->conflict(listener->ctx, key, c->wishes.v[i ? i : 1]->service, c->wishes.v[0]->service);
}

void wanted_set(struct wanted *wanted, const char *service, int64_t created, struct compiled *compiled,
		const struct wanted_listener *listener)
{
	struct compiled *old;
	struct wish *w;

	HASH_FIND_STR(wanted->wishes, service, w);
	if (!w) {
		w = xzalloc(sizeof(*w));
		w->service = xstrdup(service);
		HASH_ADD_KEYPTR(hh, wanted->wishes, w->service, strlen(w->service), w);
	}
	old = w->compiled;
	for (size_t i = 0; old && i < old->n_vss; i++) {
		unclaim(wanted, w, &old->vss[i].key);
		listener->touched(listener->ctx, &old->vss[i].key);
	}
	w->compiled = compiled;
	w->created = created;
	for (size_t i = 0; i < compiled->n_vss; i++) {
		claim(wanted, w, &compiled->vss[i].key, listener);
		listener->touched(listener->ctx, &compiled->vss[i].key);
	}
	compiled_free(old);
	if (compiled->n_vss == 0) {
		HASH_DEL(wanted->wishes, w);
		wish_free(w);
	}
}

static int key_cmp(const void *key, const void *vs)
{
	return vs_cmp(key, &((const struct wanted_vs *)vs)->key);
}

static const struct wanted_vs *wish_find(const struct wish *w, const struct vs_key *key)
{
	return bsearch(key, w->compiled->vss, w->compiled->n_vss, sizeof(*w->compiled->vss), key_cmp);
}

const struct wanted_vs *wanted_find(const struct wanted *wanted, const struct vs_key *key, const char **ret_service)
{
	struct claims *c;

	HASH_FIND(hh, wanted->claims, key, sizeof(*key), c);
	if (!c)
		return NULL;
	if (ret_service)
		*ret_service = c->wishes.v[0]->service;
	return wish_find(c->wishes.v[0], key);
}

void wanted_each(const struct wanted *wanted, void (*each)(void *ctx, const struct wanted_vs *vs, const char *service), void *ctx)
{
	struct claims *c, *next;

	HASH_ITER(hh, wanted->claims, c, next)
		each(ctx, wish_find(c->wishes.v[0], &c->key), c->wishes.v[0]->service);
}

void wanted_each_conflict(const struct wanted *wanted,
			  void (*each)(void *ctx, const struct vs_key *key, const char *loser, const char *winner), void *ctx)
{
	struct claims *c, *next;

	HASH_ITER(hh, wanted->claims, c, next)
		for (size_t i = 1; i < c->wishes.n; i++)
			each(ctx, &c->key, c->wishes.v[i]->service, c->wishes.v[0]->service);
}
