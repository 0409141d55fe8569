import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { parseSync } from 'rolldown/utils'

type Schema = {
  $ref?: string
  title?: string
  description?: string
  type?: string
  format?: string
  pattern?: string
  enum?: unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  items?: Schema
  prefixItems?: Schema[]
  maxItems?: number
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  propertyNames?: Schema
  oneOf?: Schema[]
  anyOf?: Schema[]
  allOf?: Schema[]
  default?: unknown
}
type Param = {
  $ref?: string
  name?: string
  summary?: string
  description?: string
  required?: boolean
  schema?: Schema
}
type Method = { name: string; params: Param[]; result: { name?: string; description?: string; schema?: Schema } }
type MethodOverlay = { params?: Param[]; result?: Param }
type Overlay = {
  info: { title: string; version: string }
  methods: Record<string, MethodOverlay>
  // Parameters and results that several methods have.
  components: { contentDescriptors?: Record<string, Param>; schemas: Record<string, Schema> }
}
type OpenRpc = { methods: Method[]; components: { schemas: Record<string, Schema> } }

export const RPC_FAMILIES = ['evm', 'starknet'] as const
export type SpecFamily = (typeof RPC_FAMILIES)[number]

const FOLDER = 'components/rpc/methods'
const PACKAGES: Record<SpecFamily, () => Promise<OpenRpc>> = { evm: readEvmPackage, starknet: readStarknetPackage }
const REF = '#/components/schemas/'
const DESCRIPTOR_REF = '#/components/contentDescriptors/'
const FOUND = 'Found'
const NOTHING: Schema = { title: 'Nothing', type: 'null' }

export const specFile = (family: SpecFamily): string => `${FOLDER}/${family}.openrpc.gen.json`

export async function makeSpec(root: string, family: SpecFamily): Promise<string> {
  const overlay: Overlay = JSON.parse(await readFile(path.join(root, FOLDER, `${family}.overlay.json`), 'utf8'))
  return printSpec(overlay, applyOverlay(await PACKAGES[family](), overlay))
}

/**
 * Lays our words over a package's methods. An overlay names what is shown: methods, fields and their order. A schema in it
 * that says what a value is (`$ref`, `type`, `enum`, `oneOf`) replaces the package's; one with words only keeps it.
 */
export function applyOverlay(base: OpenRpc, overlay: Overlay): OpenRpc {
  const theirs = new Map(base.methods.map((method) => [method.name, method]))
  const methods = Object.entries(overlay.methods).map(([name, ours]) =>
    applyToMethod(name, theirs.get(name), ours, overlay.components.contentDescriptors),
  )
  const schemas = { ...base.components.schemas }
  for (const [name, schema] of Object.entries(overlay.components.schemas)) {
    schemas[name] = applyToSchema(schemas[name], schema)
  }
  return { methods, components: { schemas: onlyReached(methods, schemas) } }
}

function applyToMethod(
  name: string,
  base: Method | undefined,
  ours: MethodOverlay,
  descriptors: Record<string, Param> = {},
): Method {
  const described = (descriptor: Param): Param => {
    if (!descriptor.$ref) return descriptor
    const named = descriptors[descriptor.$ref.slice(DESCRIPTOR_REF.length)]
    if (!named) throw new Error(`${descriptor.$ref} is used and not described.`)
    return named
  }
  const params = (ours.params ?? []).map(described).map((param, index) => {
    const theirs = base?.params[index]
    return { ...theirs, ...param, schema: applyToSchema(theirs?.schema, param.schema ?? {}) }
  })
  const ourResult = described(ours.result ?? {})
  const result = { ...ourResult, schema: applyToSchema(base?.result.schema, ourResult.schema ?? {}) }
  return { ...ours, name, params, result }
}

function applyToSchema(base: Schema | undefined, ours: Schema): Schema {
  if (!base || ours.$ref || ours.type || ours.enum || ours.oneOf) return ours
  const schema: Schema = { ...base, ...ours }
  if (base.items && ours.items) schema.items = applyToSchema(base.items, ours.items)
  if (!ours.properties) return schema
  const fields = Object.entries(ours.properties)
  schema.properties = Object.fromEntries(
    fields.map(([name, field]) => [name, applyToSchema(base.properties?.[name], field)]),
  )
  schema.required = (ours.required ?? base.required ?? []).filter((name) => Object.hasOwn(schema.properties!, name))
  return schema
}

function onlyReached(methods: Method[], schemas: Record<string, Schema>): Record<string, Schema> {
  const reached = new Set<string>()
  const visit = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)) {
      if (reached.has(name!)) continue
      if (!schemas[name!]) throw new Error(`The schema ${name} is used and not described.`)
      reached.add(name!)
      visit(schemas[name!])
    }
  }
  visit(methods)
  return Object.fromEntries([...reached].toSorted().map((name) => [name, schemas[name]!]))
}

function printSpec({ info }: Overlay, { methods, components }: OpenRpc): string {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => `"${name}": ${JSON.stringify(schema)}`)
  return `{
"openrpc": "1.3.2",
"info": ${JSON.stringify(info)},
"methods": [
${methods.map((method) => JSON.stringify(method)).join(',\n')}
],
"components": {"schemas": {
${schemas.join(',\n')}
}}
}
`
}

const EVM_ALIASES: Record<string, string> = {
  uint64: 'uint',
  uint256: 'uint',
  byte: 'uint',
  bytes32: 'hash32',
}

/** Reads the JSON-RPC interface of Ethereum's nodes. Source: `@metamask/api-specs`, made of ethereum/execution-apis. */
async function readEvmPackage(): Promise<OpenRpc> {
  const file = createRequire(import.meta.url).resolve('@metamask/api-specs/package.json')
  const spec: OpenRpc = JSON.parse(await readFile(path.join(path.dirname(file), 'dist/build/openrpc.json'), 'utf8'))
  const { schemas } = spec.components
  const clean = (schema: Schema): Schema => withoutNull(cleanSchema(schema, schemas)).schema
  return {
    methods: spec.methods
      .filter(({ result }) => result)
      .map(({ name, params, result }) => ({
        name,
        params: params.map(({ name, required, schema }) => ({ name, required, schema: clean(schema ?? {}) })),
        result: { schema: orNothing(cleanSchema(result.schema ?? {}, schemas)) },
      })),
    components: { schemas: mapValues(schemas, clean) },
  }
}

function cleanSchema(schema: Schema, schemas: Record<string, Schema>): Schema {
  const name = schema.$ref?.startsWith(REF) ? schema.$ref.slice(REF.length) : undefined
  if (name === 'notFound') return { type: 'null' }
  if (name) return { $ref: REF + (EVM_ALIASES[name] ?? name) }
  if (schema.allOf) return mergeObjects(schema.allOf.map((part) => deref(part, schemas)))
  const variants = schema.oneOf ?? schema.anyOf
  if (variants) return unionOf(variants.map((variant) => cleanSchema(variant, schemas)))
  const { type, items, properties, required } = schema
  if (type === 'object') {
    const fields = mapValues(properties ?? {}, (field) => withoutNull(cleanSchema(field, schemas)).schema)
    return { type, properties: fields, required: required ?? [] }
  }
  if (type === 'array') return { type, items: items ? cleanSchema(items, schemas) : {} }
  return pick(schema, ['type', 'enum', 'pattern', 'minimum', 'maximum'])
}

function deref(schema: Schema, schemas: Record<string, Schema>): Schema {
  const clean = cleanSchema(schema.properties ? { type: 'object', ...schema } : schema, schemas)
  const target = clean.$ref && schemas[clean.$ref.slice(REF.length)]
  if (target) return deref(target, schemas)
  return clean.oneOf ? commonObject(clean.oneOf.map((variant) => deref(variant, schemas))) : clean
}

const STARKNET_LEAVES: Record<string, string> = {
  FELT: 'FELT',
  ADDRESS: 'ADDRESS',
  ETH_ADDRESS: 'ETH_ADDRESS',
  L1_TXN_HASH: 'L1_TXN_HASH',
  BLOCK_HASH: 'HASH',
  TXN_HASH: 'HASH',
  BLOCK_ID: 'BLOCK_ID',
  STORAGE_KEY: 'FELT',
  NUM_AS_HEX: 'FELT',
  u64: 'FELT',
  u128: 'FELT',
}

type Node = Record<string, unknown> & { type: string }

/** Reads Starknet's JSON-RPC interface. Source: the types of `@starknet-io/types-js`, written by its specification. */
async function readStarknetPackage(): Promise<OpenRpc> {
  const entry = createRequire(import.meta.url).resolve('@starknet-io/types-js')
  const folder = path.resolve(path.dirname(entry), '../types/api')
  const reader = createTypeReader()
  for (const name of ['constants', 'components', 'executable', 'nonspec', 'methods']) {
    reader.add(name, await readFile(path.join(folder, `${name}.d.ts`), 'utf8'))
  }
  const methods = ['ReadMethods', 'WriteMethods', 'TraceMethods'].flatMap((group) => reader.methodsOf(group))
  return { methods, components: { schemas: reader.schemas } }
}

/** Turns type declarations into schemas. Knows the forms that the package is written in; others become any value. */
function createTypeReader() {
  const types = new Map<string, Node>()
  const values = new Map<string, unknown>()
  const schemas: Record<string, Schema> = {}

  function add(name: string, source: string): void {
    const { program, errors } = parseSync(`${name}.d.ts`, source)
    if (errors.length > 0) throw new Error(`${name}.d.ts cannot be read: ${errors[0]?.message}`)
    for (const statement of program.body as unknown as Node[]) {
      const declared = (statement.declaration ?? statement) as Node
      if (declared.type === 'TSTypeAliasDeclaration')
        types.set(identifierOf(declared.id), declared.typeAnnotation as Node)
      if (declared.type !== 'VariableDeclaration') continue
      for (const { id, init } of declared.declarations as Node[]) {
        const { name, typeAnnotation } = id as { name: string; typeAnnotation?: Node }
        values.set(name, init ? (init as Node).value : fieldsOf(typeAnnotation?.typeAnnotation as Node))
      }
    }
  }

  function fieldsOf(node: Node): Record<string, unknown> {
    const members = node?.type === 'TSTypeLiteral' ? (node.members as Node[]) : []
    return Object.fromEntries(
      members.map((member) => [identifierOf(member.key), schemaOf(annotation(member)).enum?.[0]]),
    )
  }

  function schemaOf(node: Node): Schema {
    switch (node.type) {
      case 'TSParenthesizedType':
        return schemaOf(node.typeAnnotation as Node)
      case 'TSStringKeyword':
        return { type: 'string' }
      case 'TSNumberKeyword':
        return { type: 'integer', minimum: 0 }
      case 'TSBooleanKeyword':
        return { type: 'boolean' }
      case 'TSNullKeyword':
        return { type: 'null' }
      case 'TSLiteralType':
        return { enum: [(node.literal as Node).value] }
      case 'TSArrayType':
        return { type: 'array', items: schemaOf(node.elementType as Node) }
      case 'TSTypeLiteral':
        return objectOf(node.members as Node[])
      case 'TSUnionType':
        return unionOf((node.types as Node[]).map(schemaOf))
      case 'TSIntersectionType':
        return mergeObjects((node.types as Node[]).map((part) => target(schemaOf(part))))
      case 'TSTypeQuery':
        return { enum: [constantOf(node.exprName as Node)] }
      case 'TSIndexedAccessType':
        return { enum: Object.values(constantOf(queried(node.objectType as Node)) as object) }
      case 'TSTypeReference':
        return namedType(identifierOf(node.typeName), ((node.typeArguments as Node)?.params ?? []) as Node[])
      default:
        return {}
    }
  }

  function objectOf(members: Node[]): Schema {
    const fields = members.filter((member) => annotation(member).type !== 'TSNeverKeyword')
    const properties = Object.fromEntries(
      fields.map((member) => [identifierOf(member.key), schemaOf(annotation(member))]),
    )
    return {
      type: 'object',
      properties,
      required: fields.filter(({ optional }) => !optional).map(({ key }) => identifierOf(key)),
    }
  }

  function namedType(name: string, args: Node[]): Schema {
    const [first, second] = args
    if (name === 'Array') return { type: 'array', items: schemaOf(first!) }
    if (name === 'Uppercase') return { enum: schemaOf(first!).enum?.map((value) => String(value).toUpperCase()) }
    if (name === 'OneOf') return unionOf((first!.elementTypes as Node[]).map(schemaOf).map(target))
    if (name === 'SimpleOneOf') return unionOf(args.map(schemaOf).map(target))
    if (name === 'Exclude') {
      const excluded = schemaOf(second!).enum ?? []
      return { enum: schemaOf(first!).enum?.filter((value) => !excluded.includes(value)) }
    }
    if (STARKNET_LEAVES[name]) return { $ref: REF + STARKNET_LEAVES[name] }
    const declared = types.get(name)
    if (!declared) return {}
    if (schemas[name]) return { $ref: REF + name }
    if (!/Literal|Intersection/.test(declared.type) || declared.type === 'TSLiteralType') return schemaOf(declared)
    // Set before its fields are read: a call contains calls.
    schemas[name] = {}
    schemas[name] = schemaOf(declared)
    return { $ref: REF + name }
  }

  const target = (schema: Schema): Schema => (schema.$ref && schemas[schema.$ref.slice(REF.length)]) || schema

  function constantOf(node: Node): unknown {
    if (node.type !== 'TSQualifiedName') return values.get(identifierOf(node))
    return (constantOf(node.left as Node) as Record<string, unknown>)[identifierOf(node.right)]
  }

  function queried(node: Node): Node {
    return node.type === 'TSParenthesizedType' ? queried(node.typeAnnotation as Node) : (node.exprName as Node)
  }

  function methodsOf(group: string): Method[] {
    return (types.get(group)!.members as Node[]).map((member) => {
      const parts = annotation(member).members as Node[]
      const part = (name: string) => schemaOf(annotation(parts.find(({ key }) => identifierOf(key) === name)!))
      const { properties = {}, required = [] } = part('params')
      return {
        name: identifierOf(member.key),
        params: Object.entries(properties).map(([name, schema]) => ({
          name,
          required: required.includes(name),
          schema,
        })),
        result: { schema: part('result') },
      }
    })
  }

  return { schemas, add, methodsOf }
}

const identifierOf = (node: unknown): string => (node as { name?: string }).name ?? ''
const annotation = (member: Node): Node => (member.typeAnnotation as { typeAnnotation: Node }).typeAnnotation

function unionOf(variants: Schema[]): Schema {
  const [first] = variants
  if (variants.length === 1) return first!
  if (variants.every((variant) => variant.enum)) return { enum: [...new Set(variants.flatMap((each) => each.enum))] }
  return variants.every(({ type }) => type === 'object') ? commonObject(variants) : { oneOf: variants }
}

function mergeObjects(parts: Schema[]): Schema {
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: [...new Set(parts.flatMap(({ required }) => required ?? []))],
  }
}

function commonObject(variants: Schema[]): Schema {
  const merged = mergeObjects(variants)
  return {
    ...merged,
    required: merged.required?.filter((name) => variants.every((each) => each.required?.includes(name))),
  }
}

function withoutNull(schema: Schema): { schema: Schema; hadNull: boolean } {
  const rest = schema.oneOf?.filter(({ type }) => type !== 'null')
  if (!rest || rest.length === schema.oneOf?.length) return { schema, hadNull: false }
  return { schema: unionOf(rest), hadNull: true }
}

function orNothing(result: Schema): Schema {
  const { schema, hadNull } = withoutNull(result)
  return hadNull ? { oneOf: [{ title: FOUND, ...schema }, NOTHING] } : schema
}

const mapValues = <In, Out>(record: Record<string, In>, change: (value: In) => Out): Record<string, Out> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))

const pick = (schema: Schema, names: readonly (keyof Schema)[]): Schema =>
  Object.fromEntries(names.filter((name) => schema[name] !== undefined).map((name) => [name, schema[name]]))
