/**
 * Entry of the thread that has the embedded database, so that its statements do not keep the server's thread. Node runs it as
 * it stands: only packages, types and relative imports.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, type Transaction } from '@electric-sql/pglite'
import type { ThreadAnswer, ThreadFailure, ThreadRequest, ThreadSetup } from './embedded-thread.ts'

const port = parentPort!
const { folder, startParams } = workerData as ThreadSetup
const client = await PGlite.create(folder, { startParams })
const open = new Map<number, { transaction: Transaction; end: (isKept: boolean) => void; ended: Promise<void> }>()
const listening = new Map<number, () => Promise<void>>()

port.on('message', (request: ThreadRequest) => {
  answer(request).then(
    (result) => port.postMessage({ id: request.id, result } satisfies ThreadAnswer),
    (error: unknown) => port.postMessage({ id: request.id, failure: failureOf(error) } satisfies ThreadAnswer),
  )
})
port.postMessage({ id: 0, result: undefined } satisfies ThreadAnswer)

class RolledBack extends Error {}

async function answer(request: ThreadRequest): Promise<unknown> {
  if (request.do === 'query') {
    const { text, parameters, rowMode, rawTypes, transaction } = request
    const on = transaction === undefined ? client : transactionOf(transaction)
    const parsers = rawTypes && Object.fromEntries(rawTypes.map((type) => [type, (value: string) => value]))
    const { rows, affectedRows } = await on.query(text, parameters, { rowMode, parsers })
    return { rows, affectedRows }
  }
  if (request.do === 'begin') return await begin(request.id)
  if (request.do === 'end') {
    const { end, ended } = open.get(request.transaction)!
    open.delete(request.transaction)
    end(request.isKept)
    return await ended
  }
  if (request.do === 'listen') {
    const { id, channel } = request
    listening.set(id, await client.listen(channel, (payload) => port.postMessage({ id, payload })))
    return undefined
  }
  if (request.do === 'unlisten') {
    const stop = listening.get(request.listener)
    listening.delete(request.listener)
    return await stop?.()
  }
  return await client.close()
}

/** The transaction is open until it is ended: its callback waits for that. */
function begin(id: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const ended = client
      .transaction(async (transaction) => {
        const { promise, resolve: end } = Promise.withResolvers<boolean>()
        open.set(id, { transaction, end, ended })
        resolve()
        if (!(await promise)) throw new RolledBack()
      })
      .catch((error: unknown) => {
        reject(error)
        if (!(error instanceof RolledBack)) throw error
      })
    ended.catch(() => undefined)
  })
}

function transactionOf(id: number): Transaction {
  const found = open.get(id)
  if (!found) throw new Error('the transaction has ended')
  return found.transaction
}

/** A copy of an Error has none of the fields in which the database says what is wrong. Others hold the statement's values. */
function failureOf(error: unknown): ThreadFailure {
  if (!(error instanceof Error)) return { message: String(error), fields: {} }
  const fields = Object.entries(error).filter(([, value]) => typeof value === 'string')
  return { message: error.message, fields: Object.fromEntries(fields) }
}
