import { Writable } from 'node:stream'
import pino from 'pino'
import { expect, test } from 'vitest'
import { printLine } from '@/lib/core/log'

test('a request line reads as one of the logger', () => {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const logger = pino({ base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, stream)
  const facts = { id: 'a1-LGN', method: 'POST', route: '/a/:"b"', status: 200, key: undefined, ms: 0 }
  logger.info(facts, 'request')
  logger.warn(facts, 'request failed')

  const times = lines.map((line) => new Date(JSON.parse(line).time))
  expect(lines).toEqual([
    printLine('info', facts, 'request', times[0]!),
    printLine('warn', facts, 'request failed', times[1]!),
  ])
})
