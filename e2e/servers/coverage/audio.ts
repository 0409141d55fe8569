import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { x402Client, x402HTTPClient } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { createWalletClient, type Hex, http, parseAbi, parseEther, publicActions } from 'viem'
import { base } from 'viem/chains'
import { admin } from '@/bench/product'
import { askOperation, type FormValue, type Sent } from '@/e2e/servers/coverage/asking'
import type { CoveredOperation } from '@/e2e/servers/coverage/operations'
import type { FuzzStage } from '@/e2e/servers/fuzz/stage'
import { newEvmAccount } from '@/e2e/testing/wallet-stage'
import type { Place } from '@/lib/endpoints/docs/openapi/testing-check'

const NOTE = { name: 'note.txt', type: 'text/plain', bytes: Buffer.from('High water is at nine.') }

/** Where an example of the document does not fit the models of the stage. */
const MORE: Partial<Record<Place, Sent>> = {
  'POST /audio/quote': { json: { model: 'band', duration_seconds: 30 } },
  'POST /video/quote': { json: { model: 'reel', duration: '5s' } },
  'POST /video/queue': { json: { model: 'reel', duration: '5s', prompt: 'The tide comes in' } },
  'POST /audio/speech': { json: { input: 'High water is at nine.', model: 'mouth', voice: 'Ada' } },
}
/** Forms that read something else than pictures and sound. */
const FILES: Partial<Record<Place, FormValue>> = { 'POST /augment/text-parser': NOTE }

/** A request that is answered as the document says. */
export async function soundRequest(operation: CoveredOperation, fuzz: FuzzStage): Promise<Sent> {
  const { place, json, hints } = operation
  if (place === 'POST /x402/top-up') return { headers: await payment(operation, fuzz) }
  if (place === 'POST /api_keys/generate_web3_key') return { json: await stakersToken(fuzz) }
  if (place === 'DELETE /api_keys') return { query: { id: String(hints.id![0]) } }
  if (MORE[place]) return MORE[place]
  return json ? { json: json.example } : (soundForm(operation, fuzz) ?? {})
}

/** The form of an operation that takes one, with a file of the kind that it reads. */
export function soundForm(operation: CoveredOperation, { fittingOf }: FuzzStage): Sent | undefined {
  const { form, place } = operation
  if (!form) return undefined
  const file = FILES[place] ?? fittingOf(operation).files[0]!
  const fields = Object.entries(form.example).map(([name, value]): [string, FormValue] => {
    const isFile = [value].flat()[0] === '(bytes)'
    return [name, isFile ? file : String([value].flat()[0])]
  })
  return { form: Object.fromEntries(fields) }
}

/** A signed payment of a wallet that has the money. */
async function payment(operation: CoveredOperation, fuzz: FuzzStage): Promise<Record<string, string>> {
  const payer = newEvmAccount()
  await admin(fuzz.stage.product, 'sandbox', 'fund', payer.address, '50')
  const { text } = await askOperation(operation, {}, {}, fuzz)
  const signer = new x402Client().register('eip155:*', new ExactEvmScheme(payer)).setSpendControls(false)
  const client = new x402HTTPClient(signer)
  return client.encodePaymentSignatureHeader(await client.createPaymentPayload(JSON.parse(text)))
}

const STAKING = parseAbi(['function approve(address, uint256) returns (bool)', 'function stake(uint256)'])

/** The token of the service, signed by a wallet that has staked. */
async function stakersToken({ stage }: FuzzStage): Promise<object> {
  const staker = newEvmAccount()
  await admin(stage.product, 'sandbox', 'fund', staker.address, '5')
  const { evmUrl, staking } = JSON.parse(await readFile(path.join(stage.dataDir, 'sandbox', 'sandbox.json'), 'utf8'))
  const chain = createWalletClient({ account: staker, chain: base, transport: http(evmUrl) }).extend(publicActions)
  const amount = parseEther('1')
  const calls = [
    { address: staking.token as Hex, functionName: 'approve', args: [staking.contract as Hex, amount] },
    { address: staking.contract as Hex, functionName: 'stake', args: [amount] },
  ] as const
  for (const call of calls) {
    const hash = await chain.writeContract({ abi: STAKING, ...call } as Parameters<typeof chain.writeContract>[0])
    await chain.waitForTransactionReceipt({ hash })
  }
  const reply = await fetch(`${stage.baseUrl}/api_keys/generate_web3_key`)
  const { data } = (await reply.json()) as { data: { token: string } }
  const signature = await staker.signMessage({ message: data.token })
  return { address: staker.address, signature, token: data.token, apiKeyType: 'INFERENCE' }
}
