import './app/uv-threadpool.ts'
import { runProgram } from './program.ts'

const { argv, env, stdout: out, stderr: err } = process
const exitCode = await runProgram(argv.slice(2), { env, out, err })
if (exitCode !== 0) process.exitCode = exitCode
