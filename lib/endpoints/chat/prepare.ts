import 'server-only'
import type { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import { nano, usdNumber } from '@/lib/contract/money'
import type { Attachment, MediaRoutes } from '@/lib/endpoints/chat/attachments'
import {
  assertMayFit,
  LEAST_OUTPUT_TOKENS,
  MARGIN,
  MOST_CHARS_PER_TOKEN,
  measure,
  STRETCH_TOKENS,
} from '@/lib/endpoints/chat/bounds'
import { addTokens, type MediaTokens } from '@/lib/endpoints/chat/media-tokens'
import { buildPrompt, type ReadMessage, withFindings } from '@/lib/endpoints/chat/prompt'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import { type ReadPart, readAttachments } from '@/lib/endpoints/chat/read-attachments'
import type { ChatRun } from '@/lib/endpoints/chat/run'
import { boundBeside } from '@/lib/endpoints/chat/side-costs'
import { boundOf } from '@/lib/endpoints/chat/usage'
import { boundOfWeb, findOnWeb, type WebPlan, webPrompt, withoutFindings } from '@/lib/endpoints/chat/web'
import { needsWeb } from '@/lib/endpoints/chat/web-decision'
import { withSearchTool } from '@/lib/endpoints/chat/web-tool'
import type { ChatRequest, ContentPart } from '@/lib/services/engines/engine'
import { chatEngine } from '@/lib/services/engines/registry'
import type { Meter } from '@/lib/services/ledger/meter'
import { priceOf } from '@/lib/services/ledger/price'

/** Of what is left of the context, web text may take so much: the rest is for the answer, and counts are estimates. */
const WEB_SHARE = 0.5
const CHARS_PER_TOKEN = 3
const MAX_WEB_CHARS = 24_000
/** A call of the search tool and the frame of its result. */
const TOOL_CALL_BYTES = 2_048
const TOOL_CALL_TOKENS = 64

/** What must be fetched, read or searched before the model is asked. */
export type Preparation = {
  messages: ChatCompletionRequest['messages']
  attachments: Attachment[]
  routes: MediaRoutes
  web: WebPlan
}

/**
 * Reads what came with a conversation, looks on the web, and makes the prompt of it. What that costs is set aside before it
 * is done, and what the prompt came to before the model is asked.
 *
 * @throws ApiError as `readAttachments`; context_length_exceeded; InsufficientBalance.
 */
export async function prepare(
  run: ChatRun,
  work: ChatWork,
  preparation: Preparation,
  meter: Meter,
): Promise<SearchInstead> {
  const { attachments, routes, web } = preparation
  const model = work.models[0]!
  const read = await readAttachments(attachments, {
    routes,
    maxDocumentChars: model.contextTokens * MOST_CHARS_PER_TOKEN,
    assertFits: (chars) => assertMayFit(chars, model),
    purse: run.purse,
    hand: run.hand!,
    signal: run.signal,
  })
  noteReadings(run, attachments, read)
  const messages = withReadings(preparation.messages, attachments, read)
  const media = addTokens(read.map(({ tokens }) => tokens))
  settlePrompt(work, messages, media)
  const tell = (text: string) => {
    if (text.length <= webBudget(work)) settlePrompt(work, withFindings(messages, text), media)
  }
  const plan = await decided(web, run)
  if (plan) tell(await look(plan, run, work))
  await setAside(run, work, meter)
  return async (query) => {
    work.request = { ...work.request, nativeSearch: undefined }
    if (query === undefined) run.webStatus = 'failed'
    tell(query === undefined ? withoutFindings('search', 'failed') : await look({ mode: 'search', query }, run, work))
    await setAside(run, work, meter)
  }
}

/** Searches in place of a vendor that refused to, or tells the model that nobody did; the request is ready then. */
export type SearchInstead = (query: string | undefined) => Promise<void>

/**
 * Searches or reads pages, and keeps what was found; nothing found is no error (contract, chat.md 3).
 *
 * @returns the text for the model, also where it has to be told that nothing was found.
 */
export async function look(
  plan: Extract<WebPlan, { mode: 'scrape' | 'search' }>,
  run: ChatRun,
  work: ChatWork,
): Promise<string> {
  await run.purse.reserve(priceOf(boundOfWeb(plan)))
  const question = plan.mode === 'search' ? plan.query : lastQuestion(work)
  run.webQuery = plan.mode === 'search' ? plan.query : plan.urls.join(' ')
  const { hand, signal } = run
  const findings = await findOnWeb(plan, { question, budgetChars: webBudget(work), hand, signal })
  if (typeof findings === 'string') {
    run.webStatus = findings
    return withoutFindings(plan.mode, findings)
  }
  run.purse.spend(findings.lines)
  run.webStatus = 'found'
  run.findings = findings
  run.citations = findings.citations
  return webPrompt(findings, run.asksForCitations)
}

async function decided(
  plan: WebPlan,
  run: ChatRun,
): Promise<Extract<WebPlan, { mode: 'scrape' | 'search' }> | undefined> {
  if (plan.mode === 'scrape' || plan.mode === 'search') return plan
  if (plan.mode !== 'decide') return undefined
  if (await needsWeb(plan.query, run.signal)) return { mode: 'search', query: plan.query }
  run.webStatus = 'not_needed'
  return undefined
}

/** Each attachment's place in its message taken by what was read of it. */
function withReadings(messages: Preparation['messages'], attachments: Attachment[], read: ReadPart[]): ReadMessage[] {
  const readings = new Map(attachments.map(({ message, part }, index) => [`${message}.${part}`, read[index]!.parts]))
  return messages.map((message, at): ReadMessage => {
    if (message.role !== 'user') return message
    if (typeof message.content === 'string') return { ...message, content: message.content }
    const content = message.content.flatMap((part, index): ContentPart[] => {
      if (part.type === 'text') return [part]
      return readings.get(`${at}.${index}`) ?? [{ type: 'text', text: LEFT_OUT }]
    })
    return { ...message, content: content.every((part) => part.type === 'text') ? joined(content) : content }
  })
}

/** A model of one image gets the latest; the conversation should still make sense to it. */
const LEFT_OUT = '[An image of an earlier message is not shown again.]'

/** Text alone is sent as text, which every model takes; a mark for the cache needs its part. */
function joined(content: Extract<ContentPart, { type: 'text' }>[]): string | ContentPart[] {
  return content.some((part) => part.cache_control) ? content : content.map(({ text }) => text).join('\n\n')
}

function noteReadings(run: ChatRun, attachments: Attachment[], read: ReadPart[]): void {
  for (const [index, { assists }] of read.entries()) {
    const { type } = attachments[index]!.content
    for (const { model, lines } of assists) {
      run.purse.spend(lines)
      run.assists.push({
        type: type === 'file' ? 'image_url' : type,
        model: model.id,
        cost_usd: usdNumber(priceOf(lines)),
      })
    }
  }
}

function settlePrompt(work: ChatWork, messages: ReadMessage[], media: MediaTokens): void {
  const { servicePrompt } = work.models[0]!
  const prompt = buildPrompt(messages, { ...work.options, servicePrompt, character: work.character })
  const mayCallSearch = work.preparation?.web.mode === 'tool'
  const { tools } = (mayCallSearch && withSearchTool(work.request)) || work.request
  const asked = { n: work.request.n, tools, outputTokens: work.outputTokens }
  const { bounds, ...bound } = measure(prompt, work.models[0]!, asked, media)
  Object.assign(work.bounds, bounds)
  work.request = { ...work.request, messages: prompt, ...bound }
}

/** Characters of web text that the model has room for beside the conversation and its answer. */
function webBudget(work: ChatWork): number {
  const { request, bounds, models } = work
  const left = models[0]!.contextTokens - bounds.inputTokens
  // Where the caller bounded the answer, the engine refuses what leaves less.
  const spare = Math.min(left * WEB_SHARE, request.bound === 'firm' ? left - request.maxTokens : left)
  return Math.min(MAX_WEB_CHARS, Math.max(0, Math.floor(spare)) * CHARS_PER_TOKEN)
}

const lastQuestion = ({ preparation }: ChatWork): string => {
  const content = preparation?.messages.findLast(({ role }) => role === 'user')?.content ?? ''
  return typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/**
 * The model reads the conversation again, and what was found for it: both times count.
 *
 * @returns how the second answer is bounded: what it finds in its way is ours, so a caller's bound gives way.
 * @throws InsufficientBalance.
 */
export async function growForSecondPass(
  run: ChatRun,
  work: ChatWork,
  found: string,
  meter: Meter,
): Promise<ChatRequest['bound']> {
  const { bounds } = work
  const secondTokens = bounds.inputTokens + chatEngine(run.model.engine).countTokens(found) + TOOL_CALL_TOKENS
  Object.assign(bounds, {
    inputTokens: bounds.inputTokens + secondTokens,
    inputBytes: 2 * bounds.inputBytes + Buffer.byteLength(found) + TOOL_CALL_BYTES,
    messages: 2 * bounds.messages + 2,
  })
  await setAside(run, work, meter)
  return secondTokens + work.request.maxTokens > run.model.contextTokens ? 'open' : undefined
}

/** The prompt as it came to be, and the beginning of an answer; more is set aside as the answer grows. */
async function setAside(run: ChatRun, work: ChatWork, meter: Meter): Promise<void> {
  const { models, bounds, request } = work
  const input = Math.ceil(bounds.inputTokens * MARGIN)
  const said = run.counter.usage().outputTokens
  const beside = boundBeside(run, work)
  const cost = (output: number) =>
    nano(boundOf(models, input, said + Math.min(request.maxTokens, output) * request.n) + beside)
  if (cost(STRETCH_TOKENS) > meter.hold.amount) await meter.reserve(cost(LEAST_OUTPUT_TOKENS))
}
