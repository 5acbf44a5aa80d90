// Why recorded answers are not given to the connector.

/** Fields that no document of the connector has, by the reason. */
export const UNUSED: Record<string, string> = {
  'customers are made, addressed, merged and deleted by the shop, never by us':
    'customerCreate customerSet customerDelete customerMerge customerMergeJobStatus customerAddressCreate customerAddressUpdate ' +
    'customerAddressDelete customerUpdateDefaultAddress customerEmailMarketingConsentUpdate customerSmsMarketingConsentUpdate ' +
    'customerGenerateAccountActivationUrl customerSendAccountInviteEmail customerPaymentMethodSendUpdateEmail',
  'requests of privacy reach us as messages; we make none there':
    'customerRequestDataErasure customerCancelDataErasure dataSaleOptOut',
  'nothing is counted there': 'customersCount discountNodesCount segmentsCount',
  'the only codes of ours take something off or ship for nothing; discounts are not handled in bulk, and their codes stay':
    'discountCodeBulkActivate discountCodeBulkDeactivate discountCodeBulkDelete discountCodeBxgyCreate discountCodeBxgyUpdate ' +
    'discountCodeRedeemCodeBulkDelete codeDiscountNodes discountNode discountNodes',
  'discounts of functions have no codes, and none of buying and getting is made or handled in bulk':
    'discountCodeAppCreate discountCodeAppUpdate discountAutomaticBxgyCreate discountAutomaticBxgyUpdate ' +
    'discountAutomaticBulkDelete',
  'a gift card is not changed, and nobody but its customer is notified':
    'giftCardUpdate giftCardSendNotificationToRecipient',
  'definitions of metafields are listed and made, and not changed':
    'metafieldDefinitionUpdate metafieldDefinitionDelete metafieldDefinition metafieldDefinitionPin ' +
    'standardMetafieldDefinitionEnable metaobjectDefinitionDelete',
  'what is written goes by single calls, not by mutations in bulk': 'bulkOperationRunMutation stagedUploadsCreate job',
  'segments are made, changed and found by name, and their members are not read':
    'segmentDelete segmentFilters segmentFilterSuggestions segmentValueSuggestions segmentMigrations ' +
    'customerSegmentMembersQuery customerSegmentMembersQueryCreate',
  'collections, and products other than those of plans, are those of the shop':
    'collectionCreate collectionUpdate collectionDelete collectionAddProducts collectionAddProductsV2 ' +
    'collectionRemoveProducts products productDelete productSet productPublish productUnpublish',
  'a selling plan group stays, and is found by its own field': 'sellingPlanGroupDelete nodes',
  'orders are placed, captured and cancelled by others': 'orderCreate orderCapture orderCancel transactionVoid',
  'webhooks come over HTTP, and their subscriptions are read as a list':
    'pubSubWebhookSubscriptionCreate pubSubWebhookSubscriptionUpdate webhookSubscription',
  'pages, articles, markets and locations are not used':
    'blogCreate blogDelete pageCreate pageDelete page articleCreate articleDelete article markets market locations location',
  'tokens and scopes are asked for by other ways, and none is given on':
    'appRevokeAccessScopes delegateAccessTokenCreate delegateAccessTokenDestroy',
  'it asks about the schema': '__type'
}

/** Answers of fields that it has, and how many there are. */
export const UNREAD: Record<string, number> = {
  'another field of the same document was refused, and took this one with it': 1,
  'it has none of the fields that the connector asks for': 38,
  'its document is not recorded': 11
}
