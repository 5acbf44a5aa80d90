// Fields of the responses of every surface, the same as those of the public objects.
export { OrNull, Timestamp } from '#resources'
