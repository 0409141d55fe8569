import { blobsToCommitments, blobsToProofs, keccak256, parseGwei, serializeTransaction, toBlobs } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { hashOf, hashOfResult } from '@/lib/services/rpc-nodes/broadcast'

const raw = (bytes: unknown) => hashOf({ method: 'eth_sendRawTransaction', params: JSON.stringify([bytes]) })

test('a transaction is known by the hash of its bytes, in whatever case they are written', () => {
  expect(raw('0x02AbCd')).toBe(keccak256('0x02abcd'))
})

test('one with blobs is known by its hash without them', async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const kzg = {
    blobToKzgCommitment: () => new Uint8Array(48).fill(1),
    computeBlobKzgProof: () => new Uint8Array(48).fill(2),
  }
  const blobs = toBlobs({ data: '0x1234' })
  const commitments = blobsToCommitments({ blobs, kzg })
  const proofs = blobsToProofs({ blobs, commitments, kzg })
  const sidecars = blobs.map((blob, index) => ({ blob, commitment: commitments[index]!, proof: proofs[index]! }))
  const transaction = {
    type: 'eip4844',
    chainId: 1,
    nonce: 3,
    to: account.address,
    maxFeePerGas: parseGwei('3'),
    maxPriorityFeePerGas: parseGwei('1'),
    maxFeePerBlobGas: parseGwei('2'),
    blobVersionedHashes: [`0x01${'0'.repeat(62)}`],
  } as const
  const signed = await account.signTransaction(transaction)
  const signature = await signatureOf(signed)
  const network = serializeTransaction({ ...transaction, sidecars }, signature)
  expect(network.length).toBeGreaterThan(200_000)
  expect(raw(network)).toBe(keccak256(signed))
})

test.each([[undefined], [null], [7], ['0x'], ['0x123'], ['hello'], [{ raw: '0x12' }]])('%j has no hash', (bytes) => {
  expect(raw(bytes)).toBeUndefined()
})

test('what is hashed by a rule of its own is not guessed', () => {
  expect(raw('0x71c0')).toBeUndefined()
  expect(hashOf({ method: 'eth_sendUserOperation', params: '["0x12"]' })).toBeUndefined()
  expect(hashOf({ method: 'eth_sendRawTransaction', params: '{"raw":"0x12"}' })).toBeUndefined()
  expect(hashOf({ method: 'eth_sendRawTransaction' })).toBeUndefined()
})

test('what says it has blobs and has none is hashed as it is', () => {
  expect(raw('0x03ff')).toBe(keccak256('0x03ff'))
})

test.each([
  ['"0xabc"', '0xabc'],
  ['{"transaction_hash":"0xabc","class_hash":"0x1"}', '0xabc'],
  ['"<b>hello</b>"', undefined],
  ['{"transaction_hash":7}', undefined],
  ['null', undefined],
  ['{"a', undefined],
])('%s as a result is the hash %s', (json, hash) => {
  expect(hashOfResult(json)).toBe(hash)
})

async function signatureOf(signed: `0x${string}`) {
  const { parseTransaction } = await import('viem')
  const { r, s, yParity } = parseTransaction(signed) as { r: `0x${string}`; s: `0x${string}`; yParity: number }
  return { r, s, yParity }
}

test('a list of half a million parts beside or within the transaction is not taken apart', () => {
  const list = (hex: string) => `fa${(hex.length / 2).toString(16).padStart(6, '0')}${hex}`
  const parts = '01'.repeat(480_000)
  const within = list(parts)
  const cpuOf = (work: () => unknown) => {
    const before = process.threadCpuUsage()
    // Some systems count CPU in ticks of 4 ms.
    for (let time = 0; time < 5; time++) work()
    const { user, system } = process.threadCpuUsage(before)
    return user + system
  }
  const plain = cpuOf(() => raw(`0x02${list(within)}`))
  // Taken apart, it is most of a second of everybody's time: twenty times as much.
  expect(cpuOf(() => expect(raw(`0x03${list(within)}`)).toBe(keccak256(`0x03${within}`)))).toBeLessThan(plain * 8)
  expect(cpuOf(() => expect(raw(`0x03${list(`c101${parts}`)}`)).toBe(keccak256('0x03c101')))).toBeLessThan(plain * 8)
})

test.each(['0x03c0', '0x03c101', '0x03c3c40102', '0x03f9ffff', '0x03f8', '0x03ffffffffffffffffff', '0x03fa0000'])(
  '%s, which is no form of the network, is hashed as it is',
  (bytes) => {
    expect(raw(bytes)).toBe(keccak256(bytes as `0x${string}`))
  },
)
