// The bare side of bench/list-pages.ts: reads a page and sends its rows. Arguments: the database's URL, rows per list.
import fastify from 'fastify'
import pg from 'pg'
import { listCases } from './list-cases.ts'

const [connectionString, rows] = process.argv.slice(2)
// Without just-in-time compilation, which would only slow down the deep pages.
const pool = new pg.Pool({ connectionString, max: 8, options: '-c jit=off' })
const cases = listCases(Number(rows))
const server = fastify({ logger: false })
server.get<{ Params: { nth: string } }>('/:nth', async (request) => {
  const { nth } = request.params
  return (await pool.query({ name: `page_${nth}`, text: cases[Number(nth)]!.bare })).rows
})
console.log(await server.listen({ port: 0, host: '127.0.0.1' }))
