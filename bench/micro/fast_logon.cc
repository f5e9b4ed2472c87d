#include "bench/micro/fast_logon.h"

namespace tickpath::bench {

const std::string_view logon_template_xml = R"(<templates>
  <template name="Logon" id="65">
    <string name="BeginString"><constant value="FIXT.1.1"/></string>
    <string name="MsgType"><constant value="A"/></string>
    <string name="SenderCompID"><copy/></string>
    <string name="TargetCompID"><copy/></string>
    <uInt32 name="MsgSeqNum"><increment/></uInt32>
    <uInt64 name="SendingTime"><delta/></uInt64>
    <int32 name="EncryptMethod"><constant value="0"/></int32>
    <int32 name="HeartBtInt"><copy value="30"/></int32>
    <string name="ResetSeqNumFlag" presence="optional"><default/></string>
    <string name="Username" presence="optional"/>
    <string name="DefaultApplVerID"><constant value="9"/></string>
  </template>
</templates>)";

Logon logon(std::uint32_t number) {
    constexpr std::uint32_t users = 500;
    return {.user = "user" + std::to_string(100 + number % users),
            .sequence = 1 + number % 120,
            .sending_time = 20'261'009'091'500'123 + std::uint64_t{number} * 977};
}

bool build_logon(const Logon& values, fast::MessageBuilder& builder) {
    fast::RowBuilder row = builder.begin(builder.templates().all().front());
    row.set_text("SenderCompID", "CLIENT-001");
    row.set_text("TargetCompID", "GATE1");
    row.set_u64("MsgSeqNum", values.sequence);
    row.set_u64("SendingTime", values.sending_time);
    row.set_i64("HeartBtInt", 30);
    row.set_text("ResetSeqNumFlag", "Y");
    row.set_text("Username", values.user);
    return builder.finish();
}

}  // namespace tickpath::bench
