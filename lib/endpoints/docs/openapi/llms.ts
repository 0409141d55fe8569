import 'server-only'
import { DOCS, groupHref, guideHref, REFERENCE } from '@/lib/contract/docs-addresses'
import { guides } from '@/lib/endpoints/docs/guides'
import { GROUPS } from '@/lib/endpoints/docs/openapi/groups'
import { config } from '@/lib/kernel/config'

export function llmsText(): string {
  const { origin, serviceName } = config()
  const base = `${origin}/api/v1`
  const areas = GROUPS.map(
    ({ tag, description, operations }) =>
      `- [${tag}](${origin}${groupHref(tag)}): ${description} ${Object.keys(operations)
        .map((place) => `\`${place}\``)
        .join(', ')}`,
  )
  const texts = guides().map(({ slug, title, lead }) => `- [${title}](${origin}${guideHref(slug)}): ${lead}`)
  return `# ${serviceName}

> An inference API compatible with OpenAI clients: chat, embeddings, images, audio, video, web search, characters and JSON-RPC of many chains behind one balance. Paid per request with an API key or a wallet.

Base URL: ${base}

## Credentials

- API key: \`Authorization: Bearer <key>\`. Create keys at ${origin}/keys.
- Wallet, without an account: send a request without credentials; the 402 reply contains a challenge to sign. Send the proof in the header \`SIGN-IN-WITH-X\`, a new one for each paid request.
- Credit for a wallet: \`POST ${base}/x402/top-up\` returns 402 with the payment options; sign a payment in USDC and send the request again with it in the header \`PAYMENT-SIGNATURE\`.

## Rules

- Model ids: \`GET ${base}/models?type=all\`; no credentials needed. \`"model": "default"\` is the operator's default model of the endpoint's type.
- Errors are JSON \`{ "error": "…", "code": "…" }\`; on a 400 \`issues\` names the invalid field and how to fix it.
- On 429 and 503 wait for the number of seconds in \`Retry-After\`.
- \`"stream": true\` returns server-sent events that end with \`data: [DONE]\`.

## Documents

- [API description, OpenAPI 3.1](${origin}/doc/api/swagger.yaml): every endpoint, field and error
- [The same as JSON](${origin}/doc/api/openapi.json)
- [Documentation](${origin}${DOCS}): guides, and a page for each operation
- [How the API works](${origin}${REFERENCE}): credentials, limits, charges

## Guides

${texts.join('\n')}

## Endpoints

${areas.join('\n')}
`
}
