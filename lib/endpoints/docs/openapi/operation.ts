import type { z } from 'zod'
import type { ErrorCode } from '@/lib/contract/errors'
import type { Access } from '@/lib/contract/reference'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** A schema under the name that it has in the document. Two schemas never share a name. */
export type NamedSchema = { name: string; schema: z.ZodType }

/** Families of response headers, by what a reply tells with them. */
export type HeaderFamily =
  | 'model'
  | 'web'
  | 'pagination'
  /** Compressed for clients that ask with `Accept-Encoding`. */
  | 'compressed'
  /** A file to download. */
  | 'file'
  | 'image'
  | 'instance'
  | 'rpc'
  | 'cursor'
  | 'audio'
  | 'payment'
  | 'deprecated'

export type JsonBody = NamedSchema & { example: unknown }

/** A multipart form: its fields as they are checked, and the part that holds the file or files. The example has the fields. */
export type FormBody = NamedSchema & {
  file: string
  fileDescription: string
  mostFiles: number
  /** A field may stand for the file. */
  isFileOptional?: boolean
  example: Record<string, string | string[]>
}

/** One form of a reply: JSON by its schema, typed events, or text and bytes that have none. */
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
  /** The schemas that the route parses its query with: one, or one for each way to ask. */
  query?: readonly z.ZodType[]
  /** Request headers that mean something here, beside credentials. */
  headers?: Record<string, string>
  body?: { json?: JsonBody; form?: FormBody; isOptional?: boolean }
  /** What a 200 holds. Nothing where every answer is an error. */
  content: readonly Content[]
  sends?: readonly HeaderFamily[]
  /** Codes that only this operation and its like answer, beside those of its access. */
  errors?: readonly ErrorCode[]
  /** Bodies of errors that do not have the standard shape, by status. */
  errorSchemas?: Partial<Record<number, NamedSchema[]>>
  isDeprecated?: boolean
}

/** The operations of one tag: `POST /path` with the path below the base, parameters in braces. */
export type Group = {
  tag: string
  description: string
  operations: Record<`${Method} /${string}`, Operation>
}
