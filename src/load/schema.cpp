// The one file that knows libprotobuf. Of its interface only what releases from 3.21 on share.
extern "C" {
#include "load/schema.h"
#include "base/nearest.h"
}

#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include <google/protobuf/compiler/importer.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/descriptor_database.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/json_util.h>
#if __has_include(<google/protobuf/stubs/logging.h>)
#include <google/protobuf/stubs/logging.h>
#endif

namespace pb = google::protobuf;

namespace
{

// ---- what libprotobuf finds wrong ----

// The first complaint; those that follow are its echoes.
struct Complaint {
    pb::compiler::DiskSourceTree *tree = nullptr;
    std::string text;

    void note(const std::string &file, int line, int column, const std::string &what)
    {
        if (!text.empty())
            return;
        std::string name = file;
        if (tree != nullptr)
            tree->VirtualFileToDiskFile(file, &name);
        text = name.empty() ? file : name;
        if (line >= 0) // they count from 0, people from 1
            text += ":" + std::to_string(line + 1) + ":" + std::to_string(column + 1);
        text += ": " + what;
    }
};

// Releases differ in the name of the function that takes a complaint, and in its kind of string.
template <class T> std::string plain(const T &text)
{
    return std::string(text.data(), text.size());
}

template <class Text, class Base>
Text file_text(void (Base::*)(Text, int, int, Text)); // of MultiFileErrorCollector
template <class Text, class Base, class Place>
Text pool_text(void (Base::*)(Text, Text, const pb::Message *, Place, Text));

template <class Base, class = void> struct FileErrors : Base, Complaint {
    void AddError(const std::string &file, int line, int column, const std::string &what) override
    {
        note(file, line, column, what);
    }
};

template <class Base>
struct FileErrors<Base, std::void_t<decltype(&Base::RecordError)>> : Base, Complaint {
    using Text = decltype(file_text(&Base::RecordError));
    void RecordError(Text file, int line, int column, Text what) override
    {
        note(plain(file), line, column, plain(what));
    }
};

template <class Base, class = void> struct PoolErrors : Base, Complaint {
    void AddError(const std::string &file, const std::string &element, const pb::Message *,
                  typename Base::ErrorLocation, const std::string &what) override
    {
        note(file, -1, 0, element + ": " + what);
    }
};

template <class Base>
struct PoolErrors<Base, std::void_t<decltype(&Base::RecordError)>> : Base, Complaint {
    using Text = decltype(pool_text(&Base::RecordError));
    void RecordError(Text file, Text element, const pb::Message *, typename Base::ErrorLocation,
                     Text what) override
    {
        note(plain(file), -1, 0, plain(element) + ": " + plain(what));
    }
};

// ---- tables for C ----

struct Table {
    edge_type table;
    std::string name;
    std::vector<edge_type_field> fields;
    std::deque<std::string> texts;
    std::deque<std::vector<const char *>> enums;
};

} // namespace

struct edge_schema {
    pb::compiler::DiskSourceTree tree;
    FileErrors<pb::compiler::MultiFileErrorCollector> file_errors;
    PoolErrors<pb::DescriptorPool::ErrorCollector> pool_errors;
    pb::SimpleDescriptorDatabase added;
    pb::DescriptorPoolDatabase known{*pb::DescriptorPool::generated_pool()};
    pb::MergedDescriptorDatabase merged{&added, &known};
    std::unique_ptr<pb::compiler::SourceTreeDescriptorDatabase> sources;
    std::unique_ptr<pb::DescriptorPool> pool;
    std::unique_ptr<pb::DynamicMessageFactory> factory;
    std::vector<std::string> roots;                          // files given, not those they import
    std::map<std::string, std::vector<std::string>> imports; // of files added
    std::string missing, service_name, method_name;
    std::map<const pb::Descriptor *, Table> tables;
};

namespace
{

// Names may come from a server: no control characters reach a terminal.
int fail(edge_message *message, int error, std::string text)
{
    for (char &letter : text)
        letter = static_cast<unsigned char>(letter) < ' ' || letter == 0x7f ? '?' : letter;
    return edge_fail(message, error, "%s", text.c_str());
}

// Runs `work`, and turns a lack of memory into an error code: no exception may reach C.
template <class Work> int guarded(edge_message *message, Work work)
{
    try {
        return work();
    } catch (const std::bad_alloc &) {
        return edge_fail(message, -ENOMEM, "out of memory");
    }
}

const char *keep(Table &table, const std::string &text)
{
    table.texts.push_back(text);
    return table.texts.back().c_str();
}

const edge_type *table_of(edge_schema *schema, const pb::Descriptor *type);

// proto2's strings may be anything.
bool checks_utf8(const pb::FileDescriptor *file)
{
    pb::FileDescriptorProto proto;
    file->CopyTo(&proto);
    return !proto.syntax().empty() && proto.syntax() != "proto2";
}

edge_type_field field_of(edge_schema *schema, Table &table, const pb::FieldDescriptor *field)
{
    edge_type_field out = {};
    out.number = static_cast<uint32_t>(field->number());
    out.kind = static_cast<edge_type_kind>(field->type());
    out.repeated = field->is_repeated();
    out.map = field->is_map();
    out.utf8 = field->type() == pb::FieldDescriptor::TYPE_STRING && checks_utf8(field->file());
    out.name = keep(table, std::string(field->name()));
    out.json_name = keep(table, std::string(field->json_name()));
    if (field->message_type() != nullptr)
        out.type = table_of(schema, field->message_type());
    if (field->enum_type() != nullptr) {
        table.enums.emplace_back();
        for (int i = 0; i < field->enum_type()->value_count(); i++)
            table.enums.back().push_back(
                keep(table, std::string(field->enum_type()->value(i)->name())));
        table.enums.back().push_back(nullptr);
        out.names = table.enums.back().data();
    }
    return out;
}

const edge_type *table_of(edge_schema *schema, const pb::Descriptor *type)
{
    auto [at, inserted] = schema->tables.try_emplace(type);
    Table &table = at->second;
    if (!inserted) // perhaps still being filled: types refer to themselves
        return &table.table;
    table.name = std::string(type->full_name());
    std::map<int, const pb::FieldDescriptor *> by_number;
    for (int i = 0; i < type->field_count(); i++)
        by_number[type->field(i)->number()] = type->field(i);
    for (const auto &[number, field] : by_number)
        table.fields.push_back(field_of(schema, table, field));
    table.table = {table.name.c_str(), table.fields.data(), table.fields.size()};
    return &table.table;
}

// ---- finding ----

// "; did you mean X? known: A, B", of whatever fits.
std::string suggest(const std::string &name, const std::vector<std::string> &known)
{
    std::string text, list;
    size_t best = EDGE_NEAREST_FAR;
    for (const std::string &candidate : known) {
        size_t distance = edge_nearest_distance(name.c_str(), candidate.c_str());
        if (distance < best) {
            best = distance;
            text = "; did you mean " + candidate + "?";
        }
        list += (list.empty() ? "" : ", ") + candidate;
    }
    return text + (text.empty() ? "; known: " : " Known: ") + (list.empty() ? "none" : list);
}

// Why a file is of no use.
std::string complaint_of(const edge_schema *schema, const std::string &file)
{
    if (!schema->file_errors.text.empty())
        return schema->file_errors.text;
    return !schema->pool_errors.text.empty() ? schema->pool_errors.text
                                             : file + ": is no valid file";
}

int find_service(edge_schema *schema, const std::string &name,
                 const pb::ServiceDescriptor **service, edge_message *message)
{
    std::vector<std::string> known;
    for (const std::string &root : schema->roots) {
        const pb::FileDescriptor *file = schema->pool->FindFileByName(root);
        if (file == nullptr)
            return fail(message, EDGE_ERR_FORMAT, complaint_of(schema, root));
        for (int i = 0; i < file->service_count(); i++)
            known.emplace_back(file->service(i)->full_name());
    }
    *service = schema->pool->FindServiceByName(name);
    return *service != nullptr ? 0
                               : fail(message, EDGE_ERR_NOT_FOUND,
                                      "unknown service \"" + name + "\"" + suggest(name, known));
}

int find(edge_schema *schema, const std::string &call, edge_schema_method *method,
         edge_message *message)
{
    size_t cut = call.find('/');
    if (cut == std::string::npos)
        cut = call.rfind('.');
    std::string service_name = cut == std::string::npos ? "" : call.substr(0, cut);
    std::string name = cut == std::string::npos ? call : call.substr(cut + 1);
    const pb::ServiceDescriptor *service = nullptr;
    int error = find_service(schema, service_name, &service, message);
    if (error < 0)
        return error;
    const pb::MethodDescriptor *found = service->FindMethodByName(name);
    if (found == nullptr) {
        std::vector<std::string> known;
        for (int i = 0; i < service->method_count(); i++)
            known.emplace_back(service->method(i)->name());
        return fail(message, EDGE_ERR_NOT_FOUND,
                    "unknown method \"" + name + "\" of " + service_name + suggest(name, known));
    }
    schema->service_name = service_name;
    schema->method_name = name;
    *method = {schema->service_name.c_str(),
               schema->method_name.c_str(),
               found->client_streaming(),
               found->server_streaming(),
               table_of(schema, found->input_type()),
               table_of(schema, found->output_type())};
    return 0;
}

// ---- reading ----

void make_pool(edge_schema *schema)
{
    if (schema->sources != nullptr)
        schema->pool = std::make_unique<pb::DescriptorPool>(
            schema->sources.get(), schema->sources->GetValidationErrorCollector());
    else
        schema->pool = std::make_unique<pb::DescriptorPool>(&schema->merged, &schema->pool_errors);
    schema->factory = std::make_unique<pb::DynamicMessageFactory>(schema->pool.get());
}

int read_proto(edge_schema *schema, const char *path, edge_message *message)
{
    using Tree = pb::compiler::DiskSourceTree;
    std::string name, shadow;
    switch (schema->tree.DiskFileToVirtualFile(path, &name, &shadow)) {
    case Tree::SUCCESS:
        break;
    case Tree::SHADOWED:
        return fail(message, EDGE_ERR_FORMAT,
                    std::string(path) +
                        ": another file has its name in an import path that comes "
                        "first: " +
                        shadow);
    default:
        return fail(message, EDGE_ERR_NOT_FOUND,
                    std::string("cannot open ") + path + ": " + std::strerror(errno));
    }
    if (schema->pool->FindFileByName(name) == nullptr)
        return fail(message, EDGE_ERR_FORMAT, complaint_of(schema, path));
    schema->roots.push_back(name);
    return 0;
}

int from_protos(edge_schema *schema, const char *const *files, size_t file_count,
                const char *const *paths, size_t path_count, edge_message *message)
{
    for (size_t i = 0; i < path_count; i++)
        schema->tree.MapPath("", paths[i]);
    for (size_t i = 0; i < file_count; i++) {
        std::string file = files[i];
        size_t slash = file.rfind('/');
        schema->tree.MapPath("", slash == std::string::npos ? "."
                                 : slash == 0               ? "/"
                                                            : file.substr(0, slash));
    }
    schema->file_errors.tree = &schema->tree;
    schema->sources =
        std::make_unique<pb::compiler::SourceTreeDescriptorDatabase>(&schema->tree, &schema->known);
    schema->sources->RecordErrorsTo(&schema->file_errors);
    make_pool(schema);
    int error = 0;
    for (size_t i = 0; i < file_count && error == 0; i++)
        error = read_proto(schema, files[i], message);
    return error;
}

int add(edge_schema *schema, const pb::FileDescriptorProto &file, edge_message *message)
{
    if (schema->imports.count(file.name()) > 0)
        return 0;
    if (!schema->added.Add(file))
        return fail(message, EDGE_ERR_FORMAT,
                    file.name() + ": defines a name that another file defines, too");
    schema->roots.push_back(file.name());
    std::vector<std::string> &imports = schema->imports[file.name()];
    imports.assign(file.dependency().begin(), file.dependency().end());
    return 0;
}

int from_set(edge_schema *schema, const char *name, const uint8_t *bytes, size_t len,
             edge_message *message)
{
    pb::FileDescriptorSet set;
    if (len > INT32_MAX || !set.ParsePartialFromArray(bytes, static_cast<int>(len)) ||
        set.file_size() == 0)
        return fail(message, EDGE_ERR_FORMAT,
                    std::string(name) +
                        ": expected a FileDescriptorSet, as protoc "
                        "--include_imports --descriptor_set_out=FILE writes it; "
                        "found " +
                        std::to_string(len) + " bytes that are none");
    for (const pb::FileDescriptorProto &file : set.file()) {
        int error = add(schema, file, message);
        if (error < 0)
            return error;
    }
    const char *missing = edge_schema_missing(schema);
    if (missing != nullptr)
        return fail(message, EDGE_ERR_FORMAT,
                    std::string(name) + ": it lacks the imported file " + missing +
                        ": write it with protoc --include_imports");
    return 0;
}

int encode(edge_schema *schema, const edge_type *type, const std::string &json, edge_buffer *out,
           edge_message *message)
{
    const pb::Descriptor *descriptor = schema->pool->FindMessageTypeByName(type->name);
    std::unique_ptr<pb::Message> typed(schema->factory->GetPrototype(descriptor)->New());
    auto status = pb::util::JsonStringToMessage(json, typed.get());
    if (!status.ok())
        return fail(message, EDGE_ERR_FORMAT, plain(status.message()));
    if (!typed->IsInitialized())
        return fail(message, EDGE_ERR_FORMAT,
                    "required fields are missing: " + typed->InitializationErrorString());
    std::string bytes;
    {
        pb::io::StringOutputStream stream(&bytes);
        pb::io::CodedOutputStream coded(&stream);
        coded.SetSerializationDeterministic(true);
        typed->SerializePartialToCodedStream(&coded);
    }
    return edge_buffer_append(out, bytes.data(), bytes.size());
}

// What it finds wrong comes as a message of ours, and not on stderr, too. (Later releases log
// through Abseil, and only what is wrong with the program.)
void silence()
{
#if __has_include(<google/protobuf/stubs/logging.h>)
    static const auto before = pb::SetLogHandler(nullptr);
    static_cast<void>(before);
#endif
}

// A new schema that `fill` has filled, or none.
template <class Fill> int make(edge_schema **schema, edge_message *message, Fill fill)
{
    return guarded(message, [&] {
        silence();
        auto made = std::make_unique<edge_schema>();
        int error = fill(made.get());
        if (error == 0)
            *schema = made.release();
        return error;
    });
}

} // namespace

bool edge_schema_available(void)
{
    return true;
}

int edge_schema_from_protos(struct edge_schema **schema, const char *const *files,
                            size_t file_count, const char *const *paths, size_t path_count,
                            struct edge_message *message)
{
    return make(schema, message, [&](edge_schema *made) {
        return from_protos(made, files, file_count, paths, path_count, message);
    });
}

int edge_schema_from_set(struct edge_schema **schema, const char *name, const uint8_t *bytes,
                         size_t len, struct edge_message *message)
{
    return make(schema, message,
                [&](edge_schema *made) { return from_set(made, name, bytes, len, message); });
}

int edge_schema_new(struct edge_schema **schema, struct edge_message *message)
{
    return make(schema, message, [](edge_schema *) { return 0; });
}

int edge_schema_add(struct edge_schema *schema, const uint8_t *bytes, size_t len,
                    struct edge_message *message)
{
    return guarded(message, [&] {
        pb::FileDescriptorProto file;
        if (len > INT32_MAX || !file.ParsePartialFromArray(bytes, static_cast<int>(len)))
            return edge_fail(message, EDGE_ERR_FORMAT,
                             "expected a FileDescriptorProto; found %zu bytes that are none", len);
        return add(schema, file, message);
    });
}

const char *edge_schema_missing(struct edge_schema *schema)
{
    for (const auto &[name, imports] : schema->imports) {
        for (const std::string &import : imports) {
            if (schema->imports.count(import) > 0 ||
                pb::DescriptorPool::generated_pool()->FindFileByName(import) != nullptr)
                continue;
            schema->missing = import;
            return schema->missing.c_str();
        }
    }
    return nullptr;
}

void edge_schema_del(struct edge_schema *schema)
{
    delete schema;
}

int edge_schema_find(struct edge_schema *schema, const char *call,
                     struct edge_schema_method *method, struct edge_message *message)
{
    return guarded(message, [&] {
        if (schema->pool == nullptr)
            make_pool(schema);
        return find(schema, call, method, message);
    });
}

int edge_schema_encode(struct edge_schema *schema, const struct edge_type *type, const char *json,
                       size_t len, struct edge_buffer *out, struct edge_message *message)
{
    return guarded(message,
                   [&] { return encode(schema, type, std::string(json, len), out, message); });
}
