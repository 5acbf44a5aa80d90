// Loaded before the program by perennial.js. The channel to it closes when it dies, also by kill -9; then the program ends as by
// SIGTERM, which stops the service cleanly. Its handler is called directly, because kill() on Windows calls none.
process.once('disconnect', () => process.emit('SIGTERM', 'SIGTERM') || process.kill(process.pid, 'SIGTERM'))
// The channel alone must not keep a finished program running.
process.channel?.unref()
