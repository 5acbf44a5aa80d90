// Fields that answers of every surface are made of; those of the public objects are the same.
export { OrNull, Timestamp } from '#resources'
