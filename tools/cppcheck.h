/* For cppcheck alone, which does not look into system headers: macros that are loops. */
#define json_array_foreach(array, index, value) for (index = 0; index < json_array_size(array) && (value = json_array_get(array, index)); index++)
#define json_object_foreach(object, key, value) for (key = 0; (value = json_object_get(object, key));)
