import { createServer, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { listen, loopback, serveParent } from '@/bench/children'
import { type Sandbox, sandbox } from '@/lib/services/chains/sandbox'
import { localClient } from '@/lib/services/payments/facilitator-local'
import { fundAddress } from '@/lib/services/payments/faucet'
import { startSandbox } from '@/server/sandbox'

/**
 * Both local chains and a facilitator over HTTP, as an operator with real payments has them: a server that is configured for
 * real payments can be killed without them. DATA_DIR is theirs alone.
 */
export type RailCalls = {
  open: () => Promise<Pick<Sandbox, 'evmUrl' | 'solanaUrl' | 'payTo'> & { facilitatorUrl: string }>
  /** Each settlement waits up to so long before it is sent, and again before it is answered. */
  slowDown: (mostMs: number) => void
  /** `units` of USDC, in base units, as text. */
  fund: (to: { address: string; units: string }) => Promise<void>
}

const MAX_BODY_BYTES = 64 * 1024

let mostMs = 0

serveParent({
  async open() {
    await startSandbox()
    const chains = sandbox()
    if (!chains) throw new Error('the local chains did not start')
    const { evmUrl, solanaUrl, payTo } = chains
    return { evmUrl, solanaUrl, payTo, facilitatorUrl: await serveFacilitator(chains) }
  },
  slowDown(most: number) {
    mostMs = most
  },
  async fund({ address, units }: { address: string; units: string }) {
    await fundAddress(address, BigInt(units))
  },
} satisfies RailCalls)

async function serveFacilitator(chains: Sandbox): Promise<string> {
  const client = await localClient(chains)
  const delay = () => sleep(Math.random() * mostMs)
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown, workMs = 0) => {
      // What the work took without the way here and back.
      const headers = { 'content-type': 'application/json', 'server-timing': `work;dur=${workMs.toFixed(3)}` }
      response.writeHead(status, headers).end(JSON.stringify(body))
    }
    try {
      if (request.url === '/supported') return answer(200, await client.getSupported())
      const { paymentPayload, paymentRequirements } = await bodyOf(request)
      const isVerify = request.url === '/verify'
      if (!isVerify) await delay()
      const startedAt = performance.now()
      const result = await (isVerify ? client.verify : client.settle)(paymentPayload, paymentRequirements)
      const workMs = performance.now() - startedAt
      if (!isVerify) await delay()
      return answer(200, result, workMs)
    } catch (error) {
      return answer(500, { error: String(error) })
    }
  })
  return loopback(await listen(server))
}

type FacilitatorRequest = { paymentPayload: PaymentPayload; paymentRequirements: PaymentRequirements }

async function bodyOf(request: IncomingMessage): Promise<FacilitatorRequest> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error('too much')
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString())
}
