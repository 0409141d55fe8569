import { createPublicClient } from 'viem'
import { expect, test } from 'vitest'
import { faultOf, nodeTransport } from '@/lib/services/chains/node-transport'
import { twistedNode } from '@/lib/services/chains/testing-node'

const node = await twistedNode('http://127.0.0.1:9')

test('a reply whose body never ends is given up in time, and what is said of it does not tell the node’s address', async () => {
  node.drip()
  const client = createPublicClient({ transport: nodeTransport(`${node.url}/v2/secret-key`, { timeoutMs: 150 }) })
  // Without the limit the rest of the reply would be waited for, longer than a test may take.
  const error = await client.getChainId().catch((thrown: unknown) => thrown)
  expect(String(error)).toContain('secret-key')
  expect(faultOf(error)).toMatch(/\w/)
  expect(faultOf(error)).not.toContain('secret-key')
})

test('a fault that is nobody’s known one says its name and words, with no address in them', () => {
  expect(faultOf(new TypeError('fetch failed: https://base.example/v2/secret-key'))).toBe(
    'TypeError: fetch failed: (address)',
  )
  expect(faultOf('text')).toBe('text')
})
