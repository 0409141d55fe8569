import { chooseDefault, listDefaults, resetDefaults } from '@/lib/services/models/choose-default'
import { answer, type Command, table, UsageError, type Values } from '@/server/admin/command'
import { withCatalogue } from '@/server/admin/own-catalogue'

async function run(values: Values, [id]: string[]) {
  if (values.reset === true && id !== undefined) throw new UsageError('Name a model or --reset, not both.')
  return withCatalogue(async () => {
    if (values.reset === true) await resetDefaults()
    else if (id !== undefined) {
      const { type } = await chooseDefault(id)
      return answer([`${id} is the default of type ${type} now.`], { type, id, isChosen: true })
    }
    const defaults = await listDefaults()
    const rows = defaults.map((one) => [one.type, one.id, one.isChosen ? 'chosen' : ''])
    return answer(table([['TYPE', 'DEFAULT', ''], ...rows]), { defaults })
  })
}

export const modelsDefaultCommand: Command = {
  name: 'models default',
  usage: 'models default [ID | --reset]',
  summary: 'makes a model the default of its type; without an ID lists the defaults',
  options: { reset: { type: 'boolean' } },
  needsDatabase: true,
  run,
}
