import { expect } from '@playwright/test'
import { echoOf } from '@/e2e/contract/answer'
import type { Answer } from '@/e2e/testing/ask'
import type { LocalSite } from '@/e2e/testing/local-site'

/** What a check can look at: the answer, the body that reached the model server, and further requests. */
export type Look = {
  answer: Answer
  /** The last body that the scripted model server got. */
  wire: Record<string, unknown>
  send: (more: object) => Promise<Answer>
  site: LocalSite
}
type Check = (look: Look) => void | Promise<void>

/**
 * One field of the interface: a request that has it, what shows that it took effect, and a value that is refused (or
 * why none can be).
 */
export type FieldRow = {
  field: string
  body: object | ((site: LocalSite) => object | Promise<object>)
  effect: [says: string, check: Check]
  refused: object | string
}
/** Fields of one endpoint; `base` is a request that each row lays its own over. */
export type FieldGroup = { title: string; path: string; base: object; rows: FieldRow[] }

export const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })
export const hello = user('Hello')
export const part = (...parts: object[]) => user([{ type: 'text', text: 'What is this?' }, ...parts])
export const parameters = (service_parameters: object, more: object = hello) => ({ ...more, service_parameters })

/** The value arrives at the model server under this name. */
export const reaches = (name: string, value: unknown): FieldRow['effect'] => [
  `reaches the model server as \`${name}\``,
  ({ wire }) => expect(wire[name]).toEqual(value),
]
export const absent = (name: string): FieldRow['effect'] => [
  'taken; goes no further',
  ({ wire }) => expect(JSON.stringify(wire)).not.toContain(name),
]
export const echoes = (name: string, value: unknown): FieldRow['effect'] => [
  `\`service_parameters.${name}\` of the answer says so`,
  ({ answer }) => expect(echoOf(answer)[name]).toEqual(value),
]
export const wireText = (wire: Record<string, unknown>): string => JSON.stringify(wire.messages)
