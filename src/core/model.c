/* Services and slices by name. Decides nothing: it only remembers and says what was touched. */
#include "core/model.h"

#include "base/text.h"

#include <string.h>

struct slice_place { /* which Service a slice belongs to now */
	char *name; /* "namespace/slice" */
	struct subject *subject;
	UT_hash_handle hh;
};

struct model {
	struct subject *subjects;
	struct slice_place *places;
	struct subject *dirty, **dirty_end;
	size_t n_services;
};

struct model *model_new(void)
{
	struct model *model = xzalloc(sizeof(*model));

	model->dirty_end = &model->dirty;
	return model;
}

static void subject_free(struct subject *s)
{
	service_free(s->service);
	for (size_t i = 0; i < s->slices.n; i++)
		slice_free(s->slices.v[i]);
	free(s->slices.v);
	free(s->name);
	free(s);
}

void model_free(struct model *model)
{
	struct subject *s, *s_next;
	struct slice_place *p, *p_next;

	if (!model)
		return;
	HASH_ITER(hh, model->places, p, p_next) {
		HASH_DEL(model->places, p);
		free(p->name);
		free(p);
	}
	HASH_ITER(hh, model->subjects, s, s_next) {
		HASH_DEL(model->subjects, s);
		subject_free(s);
	}
	free(model);
}

static struct subject *subject_get(struct model *model, const char *ns, const char *name)
{
	CLEANUP(free_p) char *key = xfmt("%s/%s", ns, name);
	struct subject *s;

	HASH_FIND_STR(model->subjects, key, s);
	if (!s) {
		s = xzalloc(sizeof(*s));
		s->name = TAKE(key);
		HASH_ADD_KEYPTR(hh, model->subjects, s->name, strlen(s->name), s);
	}
	return s;
}

static void mark(struct model *model, struct subject *s)
{
	if (s->dirty)
		return;
	s->dirty = true;
	s->next_dirty = NULL;
	*model->dirty_end = s;
	model->dirty_end = &s->next_dirty;
}

static void set_service(struct model *model, struct subject *s, struct service *service)
{
	if (s->service && service && service_equal(s->service, service)) {
		service_free(service);
		return;
	}
	model->n_services += service ? 1 : 0;
	model->n_services -= s->service ? 1 : 0;
	service_free(s->service);
	s->service = service;
	mark(model, s);
}

/* Takes the slice of this name out of its Service; NULL if there was none. */
static struct slice *take_slice(struct model *model, struct slice_place *place)
{
	struct subject *s = place->subject;

	for (size_t i = 0; i < s->slices.n; i++) {
		struct slice *slice = s->slices.v[i];

		if (strcmp(slice->name, strchr(place->name, '/') + 1))
			continue;
		s->slices.v[i] = s->slices.v[--s->slices.n];
		mark(model, s);
		return slice;
	}
	return NULL;
}

static void set_slice(struct model *model, const char *ns, const char *name, struct slice *slice)
{
	CLEANUP(free_p) char *key = xfmt("%s/%s", ns, name);
	struct slice_place *place;

	HASH_FIND_STR(model->places, key, place);
	if (place) {
		struct subject *old = place->subject;
		bool was_dirty = old->dirty;

		if (slice && strcmp(old->name + strlen(ns) + 1, slice->service) == 0) {
			for (size_t i = 0; i < old->slices.n && !was_dirty; i++)
				if (slice_equal(old->slices.v[i], slice)) {
					slice_free(slice);
					return;
				}
		}
		slice_free(take_slice(model, place));
	} else if (slice) {
		place = xzalloc(sizeof(*place));
		place->name = TAKE(key);
		HASH_ADD_KEYPTR(hh, model->places, place->name, strlen(place->name), place);
	}
	if (slice) {
		place->subject = subject_get(model, ns, slice->service);
		*vec_push(&place->subject->slices) = slice;
		mark(model, place->subject);
	} else if (place) {
		HASH_DEL(model->places, place);
		free(place->name);
		free(place);
	}
}

void model_apply(struct model *model, struct change *change)
{
	switch (change->kind) {
	case CHANGE_SERVICE:
		set_service(model, subject_get(model, change->service->ns, change->service->name), change->service);
		change->service = NULL;
		break;
	case CHANGE_SERVICE_GONE:
		set_service(model, subject_get(model, change->ns, change->name), NULL);
		break;
	case CHANGE_SLICE:
		set_slice(model, change->slice->ns, change->slice->name, change->slice);
		change->slice = NULL;
		break;
	case CHANGE_SLICE_GONE:
		set_slice(model, change->ns, change->name, NULL);
		break;
	}
	change_fini(change);
}

struct subject *model_next_dirty(struct model *model)
{
	struct subject *s = model->dirty;

	if (!s)
		return NULL;
	model->dirty = s->next_dirty;
	if (!model->dirty)
		model->dirty_end = &model->dirty;
	s->dirty = false;
	return s;
}

void model_forget(struct model *model, struct subject *subject)
{
	if (subject->service || subject->slices.n || subject->dirty)
		return;
	HASH_DEL(model->subjects, subject);
	subject_free(subject);
}

size_t model_services(const struct model *model)
{
	return model->n_services;
}
