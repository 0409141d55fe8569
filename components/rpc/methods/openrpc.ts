import type { MethodDoc, ParamDoc, RuleName, Type } from '@/components/rpc/methods/types'

// JSON Schema as the documents have it. `title` is the label of a field, a variant or a list's entry.
type Schema = {
  $ref?: string
  title?: string
  description?: string
  default?: unknown
  type?: string
  format?: string
  enum?: readonly (string | number | null)[]
  const?: string | number | null
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  items?: Schema
  maxItems?: number
  prefixItems?: readonly Schema[]
  properties?: Record<string, Schema>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  propertyNames?: Schema
  oneOf?: readonly Schema[]
  // Rarely set: folded away until it has a value.
  'x-minor'?: boolean
  // The name of an entry of a tuple.
  'x-name'?: string
  'x-rule'?: RuleName
  'x-tags'?: readonly string[]
}
type Param = { name: string; summary?: string; description?: string; required?: boolean; schema: Schema }
type Method = {
  name: string
  summary: string
  description?: string
  params: readonly Param[]
  'x-rule'?: RuleName
  result: { description: string; schema: Schema }
  'x-default-params'?: unknown
  'x-example-result'?: unknown
}

// An OpenRPC document, as `npm run rpc-methods` makes it.
type Spec = { methods: readonly Method[]; components: { schemas: Record<string, Schema> } }

const PREFIX_CHARS = 2
const DIGITS_PER_BYTE = 2

/** Reads the methods of an OpenRPC document; they share the types of named schemas. */
export function readMethods(document: unknown, paramsBy: MethodDoc['paramsBy']): ReadonlyMap<string, MethodDoc> {
  const spec = document as Spec
  const typeOf = createTypeReader(spec.components.schemas)
  return new Map(spec.methods.map((method) => [method.name, readMethod(method, paramsBy, typeOf)]))
}

type TypeOf = (schema: Schema) => Type

function readMethod(method: Method, paramsBy: MethodDoc['paramsBy'], typeOf: TypeOf): MethodDoc {
  const { name, summary, description, params, result } = method
  return {
    method: name,
    summary,
    description,
    paramsBy,
    params: params.map(({ name, summary = name, description, required = false, schema }) =>
      paramOf({ ...schema, title: summary, description }, name, required, typeOf),
    ),
    rule: method['x-rule'],
    result: { type: typeOf(result.schema), text: result.description },
    example: {
      params: method['x-default-params'] ?? (paramsBy === 'name' ? {} : []),
      result: method['x-example-result'],
    },
  }
}

function paramOf(schema: Schema, name: string, isRequired: boolean, typeOf: TypeOf): ParamDoc {
  return {
    name,
    label: schema.title ?? name,
    type: typeOf(schema),
    isRequired,
    help: schema.description,
    default: schema.default,
    isMinor: schema['x-minor'],
  }
}

function createTypeReader(schemas: Record<string, Schema>): TypeOf {
  const named = new Map<string, Type>()

  function typeOf(schema: Schema): Type {
    if (!schema.$ref) return anonymous(schema)
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
    const type = named.get(name) ?? typeOf(schemas[name]!)
    named.set(name, type)
    return type
  }

  function anonymous(schema: Schema): Type {
    if (schema.format) return formatType(schema, schema.format)
    if (schema.oneOf) return unionType(schema.oneOf)
    if (schema.enum) return { kind: 'choice', options: schema.enum.map((value) => ({ value, label: String(value) })) }
    switch (schema.type) {
      case 'string':
        return { kind: 'text' }
      case 'boolean':
      case 'null':
        return { kind: schema.type }
      case 'integer':
      case 'number':
        return numberType(schema)
      case 'array':
        return listType(schema)
      case 'object':
        return objectType(schema)
      default:
        return { kind: 'any' }
    }
  }

  function unionType(variants: readonly Schema[]): Type {
    if (variants.every((variant) => 'const' in variant)) {
      return {
        kind: 'choice',
        options: variants.map(({ const: value = null, title = '' }) => ({ value, label: title })),
      }
    }
    return {
      kind: 'union',
      variants: variants.map(({ title = '', ...type }) => ({ label: title, type: typeOf(type) })),
    }
  }

  function listType({ items = {}, prefixItems, maxItems }: Schema): Type {
    if (prefixItems) {
      return { kind: 'tuple', items: prefixItems.map((item) => paramOf(item, item['x-name'] ?? '', true, typeOf)) }
    }
    return { kind: 'list', of: typeOf(items), item: items.title ?? '', max: maxItems }
  }

  function objectType(schema: Schema): Type {
    const { properties = {}, required = [], additionalProperties, propertyNames } = schema
    if (propertyNames && typeof additionalProperties === 'object') {
      const value = typeOf(additionalProperties)
      return { kind: 'map', key: typeOf(propertyNames), keyLabel: propertyNames.title ?? '', value }
    }
    const fields = Object.entries(properties).map(([name, field]) =>
      paramOf(field, name, required.includes(name), typeOf),
    )
    return { kind: 'object', fields, isOpen: additionalProperties === true, rule: schema['x-rule'] }
  }

  return typeOf
}

const FORMATS: Readonly<Record<string, Type>> = {
  address: { kind: 'address' },
  hash: { kind: 'hash' },
  quantity: { kind: 'quantity' },
  wei: { kind: 'quantity', unit: 'wei' },
  block: { kind: 'block', takesHash: false },
  'block-or-hash': { kind: 'block', takesHash: true },
  felt: { kind: 'felt' },
  'felt-address': { kind: 'felt', is: 'address' },
  'felt-hash': { kind: 'felt', is: 'hash' },
  'felt-selector': { kind: 'felt', is: 'selector' },
}

function formatType(schema: Schema, format: string): Type {
  if (format === 'bytes') return dataType(schema)
  if (format === 'starknet-block') return { kind: 'blockId', tags: schema['x-tags'] ?? [] }
  const type = FORMATS[format]
  if (!type) throw new Error(`unknown format ${format}`)
  return type
}

function dataType({ minLength, maxLength }: Schema): Type {
  if (maxLength === undefined) return { kind: 'data' }
  const bytes = (maxLength - PREFIX_CHARS) / DIGITS_PER_BYTE
  return minLength === maxLength ? { kind: 'data', bytes } : { kind: 'data', maxBytes: bytes }
}

const numberType = ({ type, minimum, maximum }: Schema): Type => ({
  kind: 'number',
  isWhole: type === 'integer',
  min: minimum,
  max: maximum,
})
