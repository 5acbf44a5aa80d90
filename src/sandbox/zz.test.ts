import { test } from 'node:test'
import fs from 'node:fs'
import { parse, print } from 'graphql'
import { testDatabase } from '/work/main/test/database.ts'
import { startSandbox } from '/work/main/src/sandbox/test-shop.ts'
const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)
test('ops', async () => {
  const shop = await aShop(); const p = await shop.aPlan(); const m = await shop.aMember(); const m2 = await shop.aMember('bob@example.com')
  shop.advance({hours:24*31})
  const att = (await shop.charge(m.contract, 1)).data.subscriptionBillingAttemptCreate.subscriptionBillingAttempt.id
  await shop.settle()
  const g=(t:string,n:string)=>`gid://platform/${t}/${n}`
  await shop.sandbox.controls.dispute({storeId: shop.storeId, orderId: m.orderId, outcome: 'open'})
  const doc = parse(fs.readFileSync('/work/shared/platform/operations.graphql','utf8'))
  const vars = JSON.parse(fs.readFileSync('/work/shared/platform/variables.json','utf8'))
  const frags = doc.definitions.filter(d=>d.kind==='FragmentDefinition') as any[]
  let draft='', discount='', line='', disc='', hook='', bulk='', credit='', auto='', txn=''
  for (const op of doc.definitions.filter(d=>d.kind==='OperationDefinition') as any[]) {
    const name = op.name.value
    const used = new Set<string>(); const visit=(n:any)=>JSON.stringify(n,(_k,v)=>{ if (v?.kind==='FragmentSpread' && !used.has(v.name.value)) { used.add(v.name.value); visit(frags.find(f=>f.name.value===v.name.value)) } return v }); visit(op)
    const text = [op, ...frags.filter(f=>used.has(f.name.value))].map(print).join('\n')
    for (const key of Object.keys(vars).filter(k=>k.split('#')[0]===name).concat(Object.keys(vars).some(k=>k.split('#')[0]===name)?[]:[name])) {
      let v: any = JSON.parse(JSON.stringify(vars[key] ?? {}).replaceAll('gid://shopify/','gid://platform/').replaceAll('"gid://platform/Customer/1"', JSON.stringify(m.customer.gid)).replaceAll('"gid://platform/Order/1"', JSON.stringify(g('Order',m.orderId))).replaceAll('"gid://platform/Product/1"', JSON.stringify(p.productId)).replaceAll('"gid://platform/Product/2"', JSON.stringify(p.productId)).replaceAll('"gid://platform/ProductVariant/1"', JSON.stringify(p.variantId)).replaceAll('"gid://platform/SubscriptionContract/1"', JSON.stringify(m.contract)).replaceAll('"gid://platform/SubscriptionDraft/1"', JSON.stringify(draft)).replaceAll('"gid://platform/SubscriptionLine/1"', JSON.stringify(line)).replaceAll('"gid://platform/SubscriptionManualDiscount/uuid"', JSON.stringify(disc)).replaceAll('"gid://platform/StoreCreditAccount/1"', JSON.stringify(credit)).replaceAll('"gid://platform/DiscountAutomaticNode/1"', JSON.stringify(auto||p.productId)).replaceAll('"gid://platform/OrderTransaction/1"', JSON.stringify(txn)).replaceAll('"https://svc.example.com/webhooks/platform"','"http://127.0.0.1:9/x"').replaceAll('gid://platform/CustomerPaymentMethod/abc', 'gid://platform/CustomerPaymentMethod/'+((await db.direct.many(((r:any)=>r.token) as any, {name:'',text:"select token from sandbox.payment_methods where customer_id="+m.customer.id,values:[]} as any))[0])))
      for (const d of op.variableDefinitions??[]) { const n=d.variable.name.value; if (v[n]!==undefined) continue
        if (n==='first') v[n]=10
        if (n==='namespace') v[n]='svc'
        if (n==='contractId') v[n]=m.contract
        if (n==='draftId') v[n]=draft
        if (n==='groupObjects') v[n]=false
        if (n==='code') v[n]='BDAY-7F3K'
        if (n==='key') v[n]='k'
        if (n==='resources') continue
        if (n==='id') v[n] = /Draft/.test(name)?draft: /BillingAttempt/.test(name)?att: /SubscriptionContract/.test(name)?m2.contract: /DiscountCode/.test(name)?discount: /Automatic|DiscountNode/.test(name)?(name==='DiscountNodeMetafields'?auto.replace('DiscountAutomaticNode','DiscountNode'):auto): /Webhook/.test(name)?hook: /Bulk/.test(name)?bulk: /StoreCredit/.test(name)?credit: /Order/.test(name)?g('Order',m.orderId): /SellingPlanGroup/.test(name)?p.groupId: /PaymentMethod/.test(name)?'gid://platform/CustomerPaymentMethod/x' : m.customer.gid
        if (n==='productIds') v[n]=[p.productId]
        if (n==='input' && name==='SellingPlanGroupUpdate') v[n]={name:'VIP2'}
        if (n==='discount') v[n]={title:'renamed'}
        if (n==='webhookSubscription') v[n]={uri:'http://127.0.0.1:9/y'}
      }
      if (/^(SubscriptionDraftUpdate)$/.test(name)) {}
      const r = await shop.graphql(text, v)
      const errs = r.errors ?? Object.values(r.data ?? {}).flatMap((x:any)=>x?.userErrors ?? [])
      console.log(key, r.extensions?.cost.requestedQueryCost, r.extensions?.cost.actualQueryCost, errs.length?JSON.stringify(errs).slice(0,300):'ok')
      if (process.env.SHOW?.split(',').includes(name)) console.log(JSON.stringify(r.data,null,1))
      const d: any = r.data ?? {}
      draft = d.subscriptionContractUpdate?.draft?.id ?? draft
      disc = d.subscriptionDraftDiscountAdd?.discountAdded?.id ?? disc
      line = d.subscriptionContract?.lines?.nodes?.[0]?.id ?? line
      if (name==='SubscriptionContractById' ) { const rr = await shop.graphql('query($id:ID!){subscriptionContract(id:$id){lines(first:1){nodes{id}}}}',{id:m.contract}); line = rr.data.subscriptionContract.lines.nodes[0].id }
      if (name==='OrderById') txn = d.order?.transactions?.[0]?.id ?? txn
      discount = d.discountCodeBasicCreate?.codeDiscountNode?.id ?? discount
      auto = d.discountAutomaticAppCreate?.automaticAppDiscount?.discountId ?? auto
      hook = d.webhookSubscriptionCreate?.webhookSubscription?.id ?? hook
      bulk = d.bulkOperationRunQuery?.bulkOperation?.id ?? bulk
      credit = d.storeCreditAccountCredit?.storeCreditAccountTransaction?.account?.id ?? credit
      if (name==='BulkOperationRunQuery') await shop.settle()
    }
  }
  console.log('bugs', bugs)
})
