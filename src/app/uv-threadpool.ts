// Must be the first import of the program, because the pool is created at its first use. Name resolution may use half of its
// threads, two of the default four, and a few host names whose DNS servers never answer would block all other connections.
process.env.UV_THREADPOOL_SIZE ??= '64'
