import type { z } from 'zod'
import type { Access } from '@/lib/contract/docs'
import type { ErrorCode } from '@/lib/contract/errors'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export type NamedSchema = { name: string; schema: z.ZodType }

export type HeaderFamily =
  | 'model'
  | 'web'
  | 'pagination'
  | 'compressed'
  | 'file'
  | 'image'
  | 'instance'
  | 'rpc'
  | 'cursor'
  | 'audio'
  | 'payment'
  | 'deprecated'

export type JsonBody = NamedSchema & { example: unknown }

export type FormBody = NamedSchema & {
  file: string
  fileDescription: string
  /** One by default. */
  mostFiles?: number
  isFileOptional?: boolean
  example: Record<string, string | string[]>
}

export type Content =
  | (NamedSchema & { kind: 'json'; example: unknown })
  | { kind: 'events'; description: string; event: NamedSchema }
  | { kind: 'text'; type: string; example: string }
  | { kind: 'bytes'; types: readonly string[] }

export type Operation = {
  /** Unique; generated clients name their methods by it. */
  id: string
  summary: string
  description?: string
  access: Access
  path?: Record<string, { description: string; example: string; choices?: readonly string[] }>
  /** Schemas that the route parses its query with: one, or one per alternative. */
  query?: readonly z.ZodType[]
  headers?: Record<string, string>
  body?: { json?: JsonBody; form?: FormBody; isOptional?: boolean }
  /** Bodies of a 200; empty when every reply is an error. */
  content: readonly Content[]
  sends?: readonly HeaderFamily[]
  errors?: readonly ErrorCode[]
  /** Error bodies other than the standard one, by status. */
  errorSchemas?: Partial<Record<number, NamedSchema[]>>
  isDeprecated?: boolean
}

/** Operations of one tag by `POST /path`, with the path below the base URL and parameters in braces. */
export type Group = {
  tag: string
  description: string
  operations: Record<`${Method} /${string}`, Operation>
}

/** Describes a JSON body, of a request or a reply, by its component's name, its schema and an example. */
export const jsonContent = (name: string, schema: z.ZodType, example: unknown) =>
  ({ kind: 'json', name, schema, example }) as const

/** Describes the body of a request that is JSON and no form. */
export const jsonBody = (name: string, schema: z.ZodType, example: unknown) => ({
  json: jsonContent(name, schema, example),
})
