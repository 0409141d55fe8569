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

> An inference API that takes what OpenAI clients send: chat, embeddings, images, audio, video, web search, characters and JSON-RPC of many chains behind one balance. Paid per request with an API key or a wallet.

Base URL: ${base}

## Credentials

- API key: \`Authorization: Bearer <key>\`. Keys are made at ${origin}/keys.
- Wallet, without an account: send a request without credentials; the 402 answer holds a challenge to sign. Send the proof in the header \`SIGN-IN-WITH-X\`, a new one for every request that spends.
- Credit for a wallet: \`POST ${base}/x402/top-up\` answers 402 with the terms; sign a payment in USDC and send it again in the header \`PAYMENT-SIGNATURE\`.

## Rules

- Model ids: \`GET ${base}/models?type=all\`; no credentials needed. \`"model": "default"\` is the model of the type that is chosen for you, where an endpoint has a default.
- Errors are JSON \`{ "error": "…", "code": "…" }\`; a 400 says in \`issues\` which field is wrong and what to change.
- 429 and 503 say in \`Retry-After\` how many seconds to wait.
- \`"stream": true\` answers server-sent events that end with \`data: [DONE]\`.

## Documents

- [Interface description, OpenAPI 3.1](${origin}/doc/api/swagger.yaml): every endpoint, field and error
- [The same as JSON](${origin}/doc/api/openapi.json)
- [Documentation](${origin}${DOCS}): guides, and a page for each operation
- [How the API works](${origin}${REFERENCE}): credentials, limits, charges

## Guides

${texts.join('\n')}

## Endpoints

${areas.join('\n')}
`
}
