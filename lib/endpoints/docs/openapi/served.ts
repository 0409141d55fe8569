import 'server-only'
import { createHash } from 'node:crypto'
import { stringify } from 'yaml'
import { DOCS, groupHref, guideHref, REFERENCE } from '@/lib/contract/docs'
import { guides } from '@/lib/endpoints/docs/guides'
import { GROUPS, openApiDocument } from '@/lib/endpoints/docs/openapi/document'
import { config } from '@/lib/kernel/config'
import type { Reply } from '@/lib/pipeline/reply'

type DocumentForm = 'yaml' | 'json'

const CACHE = 'public, max-age=300'
const TAG_CHARACTERS = 22
const TYPES: Record<DocumentForm, string> = { yaml: 'application/yaml; charset=utf-8', json: 'application/json' }
const WRITERS: Record<DocumentForm, (document: unknown) => string> = {
  yaml: (document) => stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 }),
  json: (document) => JSON.stringify(document),
}

const written = new Map<DocumentForm, { text: string; tag: string }>()

/** Serves the OpenAPI document as a file; 304 for a matching ETag. */
export function documentReply(form: DocumentForm, headers: Headers): Reply {
  const { text, tag } = fileOf(form)
  const cache = { ETag: tag, 'Cache-Control': CACHE, Vary: 'Accept-Encoding' }
  if (hasTag(headers.get('if-none-match'), tag)) return { status: 304, body: null, headers: cache }
  return { body: text, contentType: TYPES[form], headers: cache, isCompressible: true }
}

function fileOf(form: DocumentForm): { text: string; tag: string } {
  const known = written.get(form)
  if (known) return known
  const text = WRITERS[form](openApiDocument())
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, TAG_CHARACTERS)
  // Weak: the same tag is on the file and on each of its compressed forms.
  const made = { text, tag: `W/"${hash}"` }
  written.set(form, made)
  return made
}

const hasTag = (sent: string | null, tag: string): boolean =>
  sent?.split(',').some((one) => ['*', tag, tag.slice('W/'.length)].includes(one.trim())) === true

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
