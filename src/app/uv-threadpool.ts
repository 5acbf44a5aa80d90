// Must be the first import of the program: the pool is made when it is first used. Name resolution has half of its threads,
// four by default, and a few receivers' names whose servers never answer would hold up all other connections.
process.env.UV_THREADPOOL_SIZE ??= '64'
