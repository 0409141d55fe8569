import { openSync } from 'node:fs'
import { Writable } from 'node:stream'
import pino from 'pino'
import { expect, test } from 'vitest'
import { openOutput } from '@/lib/kernel/log'
import { inBatches, printLine } from '@/lib/kernel/request-log'
import { eventually } from '@/lib/kernel/testing/time'

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
    printLine({ level: 'info', facts, message: 'request', time: times[0]! }),
    printLine({ level: 'warn', facts, message: 'request failed', time: times[1]! }),
  ])
})

test('lines are written when there are many, and soon when there are few, each once and in order', async () => {
  const written: string[] = []
  const write = inBatches({ write: (text) => written.push(text), flushSync: () => {} })
  const time = new Date()
  for (let n = 0; n < 130; n++) write({ level: 'info', facts: { n }, message: 'request', time })
  expect(written).toHaveLength(2)
  await eventually(() => expect(written).toHaveLength(3))
  const lines = written.join('').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).n)).toEqual(Array.from({ length: 130 }, (_, n) => n))
})

// Linux has a device that is always full; nothing else can be filled without harm to the machine.
test.runIf(process.platform === 'linux').each([true, false])(
  'lines for a full disk are no fault; at once: %s',
  async (isSync) => {
    const output = openOutput({ isSync, fd: openSync('/dev/full', 'w') })
    const heard = new Promise((resolve) => output.once('error', resolve))
    const logger = pino(output)
    for (let n = 0; n < 100; n++) logger.info('a line')
    expect(await heard).toMatchObject({ code: 'ENOSPC' })
    // A second failure has no listener but our own.
    expect(() => logger.info('another')).not.toThrow()
    output.destroy()
  },
)
