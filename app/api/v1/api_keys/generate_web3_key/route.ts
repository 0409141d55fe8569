import { Web3KeyBody } from '@/lib/contract/keys.schema'
import { renderNewKey } from '@/lib/endpoints/keys/render'
import { createWeb3Key, issueWeb3Token } from '@/lib/endpoints/keys/web3-key'
import { json } from '@/lib/pipeline/body'
import { uncachedJson } from '@/lib/pipeline/reply'
import { route } from '@/lib/pipeline/route'
import { limitAddress } from '@/lib/services/limits/limits'

// A key is a few hundred bytes; a contract wallet's signature may be some thousand.
const MAX_BODY_BYTES = 1024 * 1024
const parse = json(Web3KeyBody, { maxBytes: MAX_BODY_BYTES })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: async () => uncachedJson({ success: true, data: { token: await issueWeb3Token() } }),
  POST: async (context, request) => {
    await limitAddress(context, 'api-keys')
    const key = await createWeb3Key(context, await parse(context, request))
    return uncachedJson({ success: true, data: renderNewKey(key) })
  },
})
