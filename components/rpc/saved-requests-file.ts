import type { RpcCallDraft } from '@/components/rpc/client'
import { isMethodName, isParams, isSigned, parseJson } from '@/components/rpc/link'
import { MAX_FOLDER_CHARS, MAX_NAME_CHARS, MAX_SAVED, type NewSaved } from '@/components/rpc/store'
import { isRecord } from '@/lib/browser/api'
import { MAX_RPC_BATCH_CALLS } from '@/lib/contract/limits'
import { networkOf } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

const KIND = 'rpc-collections'
const VERSION = 1

export const MAX_FILE_BYTES = 5 * 1024 * 1024
const MAX_PROBLEMS = 20
const MAX_QUOTED_CHARS = 40

/** Prints saved calls as a file. Signed transactions stay out: a file is passed on. */
export function printFile(saved: readonly NewSaved[], exportedAt: Date): { text: string; leftOut: number } {
  const clean = saved.filter(
    ({ calls }) => !calls.some(({ method, params }) => isSigned(method) && params !== undefined),
  )
  const requests = clean.map(({ name, folder, network, calls, isBatch }) => ({ name, folder, network, calls, isBatch }))
  const file = { kind: KIND, version: VERSION, exportedAt: exportedAt.toISOString(), requests }
  return { text: `${JSON.stringify(file, undefined, 2)}\n`, leftOut: saved.length - clean.length }
}

type FileReport = { calls: NewSaved[]; problems: string[]; moreProblems: number; known: number }

/** Reads a file of saved calls; invalid ones are left out and named. @throws Error for the person when it is none. */
export function readFile(text: string, saved: readonly NewSaved[]): FileReport {
  const requests = requestsOf(text)
  const seen = new Set(saved.map(fingerprint))
  const report: FileReport = { calls: [], problems: [], moreProblems: 0, known: 0 }
  for (const [index, request] of requests.entries()) {
    const read = readRequest(request)
    if (typeof read === 'string')
      addProblem(report, t('Request {place}: {problem}.', { place: String(index + 1), problem: read }))
    else if (seen.has(fingerprint(read))) report.known += 1
    else {
      seen.add(fingerprint(read))
      report.calls.push(read)
    }
  }
  return report
}

function requestsOf(text: string): unknown[] {
  const file = parseJson(text)
  if (file === undefined) throw new Error(t('This file isn’t valid JSON. Choose an exported requests file.'))
  if (!isRecord(file) || file.kind !== KIND || !Array.isArray(file.requests)) {
    throw new Error(t('This file contains no saved requests. Choose an exported requests file.'))
  }
  if (file.version !== VERSION)
    throw new Error(t('This file was exported by a newer version of the app and can’t be imported.'))
  if (file.requests.length > MAX_SAVED)
    throw new Error(t('This file contains more than {count} requests, the maximum.', { count: MAX_SAVED }))
  return file.requests
}

function readRequest(request: unknown): NewSaved | string {
  if (!isRecord(request)) return t('not an object')
  const network = typeof request.network === 'string' ? networkOf(request.network) : undefined
  if (!network)
    return typeof request.network === 'string'
      ? t('unknown network “{name}”', { name: cleanName(request.network, MAX_QUOTED_CHARS) })
      : t('no network given')
  const { calls } = request
  if (!Array.isArray(calls) || calls.length === 0 || calls.length > MAX_RPC_BATCH_CALLS)
    return t('must contain 1 to {max} calls', { max: MAX_RPC_BATCH_CALLS })
  const read: RpcCallDraft[] = []
  for (const call of calls) {
    if (!isRecord(call) || typeof call.method !== 'string' || !isMethodName(call.method)) {
      const name = isRecord(call) ? call.method : call
      return typeof name === 'string'
        ? t('“{name}” is not a valid method name', { name: cleanName(name, MAX_QUOTED_CHARS) })
        : t('a call has no valid method name')
    }
    if (call.params !== undefined && !isParams(call.params))
      return t('the parameters of {method} must be an array or an object', { method: call.method })
    read.push({ method: call.method, params: call.params })
  }
  const first = read[0]?.method ?? ''
  return {
    name: cleanName(request.name, MAX_NAME_CHARS) || first,
    folder: cleanName(request.folder, MAX_FOLDER_CHARS),
    network: network.slug,
    calls: read,
    isBatch: request.isBatch === true || read.length > 1,
  }
}

/** Cleans a name for display: one line, without invisible or direction-changing characters. */
export function cleanName(name: unknown, maxChars: number): string {
  if (typeof name !== 'string') return ''
  return name
    .slice(0, maxChars * 4)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxChars)
}

const fingerprint = ({ name, folder, network, calls, isBatch }: NewSaved): string =>
  JSON.stringify([name, folder, network, isBatch, calls.map(({ method, params }) => [method, params ?? null])])

function addProblem(report: FileReport, problem: string): void {
  if (report.problems.length < MAX_PROBLEMS) report.problems.push(problem)
  else report.moreProblems += 1
}
